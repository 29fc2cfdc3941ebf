import { isUnprotected, shownKey } from '../settings/connect.ts';
import { isExposed, readText } from '../settings/files.ts';
import { configPath } from '../settings/profiles.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { note, ok, wrong, type Finding, type Subject } from './check.ts';

/** A tenth of what receivers accept (specification, "Receiver rules"). */
const MAX_SKEW_SECONDS = 30;
/** What the commands need; a key for less is no fault. */
const USEFUL = ['payments:read', 'payments:write', 'refunds:write', 'webhooks:read', 'webhooks:write'];

/** Whether others can read the stored keys. */
export function checkFile(env: Terminal['env']): Finding {
  const path = configPath(env);
  if (readText(path) === null) return ok('stored logins', 'none');
  return isExposed(path)
    ? wrong('stored logins', `others can read ${path}`, `chmod 600 ${path}, and replace the keys in it`)
    : ok('stored logins', `${path}, readable by its owner alone`);
}

export function checkTls({ login: { url } }: Subject): Finding {
  return isUnprotected(url)
    ? wrong('TLS', `${url} is not https: others can read the key on its way`, 'log in with the https URL')
    : ok('TLS', url.startsWith('https:') ? 'https' : 'not needed on this machine');
}

export function checkHealth({ status: { status, version, checks = [], simulated } }: Subject): Finding {
  const what = [`${status}, version ${version}`, ...checks.map(({ check, reason }) => `${check}: ${reason}`)];
  const found = `${what.join('; ')}${simulated ? '; live payments are simulated' : ''}`;
  const remedy = 'nothing is lost: wait, or ask those who operate the service';
  return status === 'ok' ? ok('service', found) : wrong('service', found, remedy);
}

/** A receiver refuses events whose timestamp its own clock finds too old or too new. */
export function checkClock({ terminal, status: { timestamp } }: Subject): Finding {
  const seconds = Math.round((terminal.now().getTime() - Date.parse(timestamp)) / 1000);
  const found = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the service`;
  return Math.abs(seconds) > MAX_SKEW_SECONDS
    ? wrong('clock', found, 'set this clock (NTP): receivers refuse events that are 300 s off')
    : ok('clock', found);
}

export function checkKey({ login, status }: Subject): Finding {
  const { authenticated, merchant_id, mode, permissions } = status;
  const key = `${shownKey(login.key)} of ${login.from}`;
  if (!authenticated) return wrong('key', `${key} is unknown or revoked`, 'log in with another key');
  return ok('key', `${key}: ${mode}, ${merchant_id}, ${permissions?.join(', ') || 'no permissions'}`);
}

export function checkPermissions({ status: { permissions = [] } }: Subject): Finding {
  const known: readonly string[] = permissions;
  const missing = USEFUL.filter((permission) => !known.includes(permission));
  return missing.length === 0
    ? ok('permissions', 'all that the commands need')
    : note('permissions', `without ${missing.join(', ')}`, 'commands that need them are refused with 403');
}
