import type { NetworkId } from '../../chain/networks.ts';
import { realChains } from '../../chain/profile.ts';
import { secretBoxOf } from '../../../platform/secret-box.ts';
import { StartError } from '../../../platform/config/config.ts';
import { isLoopbackUrl } from '../../../platform/config/production.ts';
import type { Context } from '../../../platform/context.ts';
import { clockFault } from '../../../platform/database-clock/report.ts';
import { messageOf } from '../../../platform/log.ts';
import { mailServerFault } from '../../../platform/mail.ts';
import { missingMigrations } from '../../../platform/postgres/migrate.ts';
import { findProcesses } from '../health/processes.ts';
import { assertSecretsKey } from '../health/secrets-key.ts';
import { broken, missing, ok, RELEASE, type Check, type Verdict } from './finding.ts';

/** What all merchants share: database, clock, keys, addresses, processes, mail. */
export function installationChecks(ctx: Context, networks: readonly NetworkId[]): Check[] {
  return [
    { name: 'migrations', look: () => migrations(ctx) },
    { name: 'clock', look: () => Promise.resolve(clock(ctx)) },
    { name: 'secrets key', look: () => secretsKey(ctx) },
    { name: 'chain profile', look: () => Promise.resolve(profile(ctx, networks)) },
    { name: 'public URL', look: () => Promise.resolve(publicUrl(ctx)) },
    { name: 'processes', look: () => processes(ctx) },
    { name: 'mail', look: () => mail(ctx) },
  ];
}

async function migrations({ db }: Context): Promise<Verdict> {
  const { missing: lacks, isEmpty } = await missingMigrations(db);
  if (isEmpty) return missing('no release has run on the database', RELEASE);
  return lacks.length === 0
    ? ok('the database has all of this version')
    : missing(`the database lacks ${lacks.join(', ')}`, RELEASE);
}

function clock({ clock: report }: Context): Verdict {
  const fault = clockFault(report);
  if (fault !== null) return broken(fault, 'docs/operations.md, "Clocks"');
  const seconds = report?.offsetSeconds ?? 0;
  const direction = seconds < 0 ? 'behind' : 'ahead of';
  return ok(`this machine is ${Math.abs(seconds).toFixed(3)} s ${direction} the database`);
}

async function secretsKey(ctx: Context): Promise<Verdict> {
  try {
    await assertSecretsKey(ctx);
    return ok(`it is that of the database, ${secretBoxOf(ctx.config).keyId}`);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return broken(messageOf(error), 'SECRETS_KEY: the value that web and worker have');
  }
}

function profile({ config }: Context, networks: readonly NetworkId[]): Verdict {
  if (config.simulateLive)
    return broken(
      'SIMULATE_LIVE=true: live payments are simulated, and no money moves',
      'unset SIMULATE_LIVE and SIMULATE_LIVE_IN_PRODUCTION on every process, and restart',
    );
  const { chainProfile } = config;
  const names = networks.map(realChains(config).nameOf).join(', ');
  const worth = chainProfile === 'mainnet' ? 'real money' : 'nothing there is worth anything';
  return ok(`CHAIN_PROFILE=${chainProfile}: ${[names, worth].filter((part) => part !== '').join(', ')}`);
}

function publicUrl({ config: { publicUrl: url, chainProfile, production } }: Context): Verdict {
  const remedy =
    'PUBLIC_URL=https://pay.example.com, the address that customers reach; the same on every process';
  if (url.startsWith('https:')) return ok(url);
  // A start of web refuses any other in production; here it is the default of a process without links.
  if (isLoopbackUrl(url) && (!production || chainProfile !== 'mainnet'))
    return ok(`${url}: for a trial on this machine, since nobody else can open its links`);
  return missing(`${url} opens on no other machine, or without TLS`, remedy);
}

const COMMANDS = { web: 'node dist/processes/web.js', worker: 'node dist/processes/worker.js' };

async function processes({ db, systemNow }: Context): Promise<Verdict> {
  const alive = (await findProcesses(db, systemNow())).filter(({ isAlive }) => isAlive);
  const counts = ['web', 'worker', 'watcher'].map(
    (kind) => `${alive.filter((one) => one.kind === kind).length} ${kind}`,
  );
  const lacks = Object.entries(COMMANDS).filter(([kind]) => !alive.some((one) => one.kind === kind));
  return lacks.length === 0
    ? ok(`${counts.join(', ')} report themselves`)
    : missing(
        `no ${lacks.map(([kind]) => kind).join(' and no ')} reports itself`,
        lacks.map(([, command]) => command).join('; '),
      );
}

async function mail({ config }: Context): Promise<Verdict> {
  if (config.smtpUrl === null) return ok('SMTP_URL is not set here: no receipts and no notices');
  const fault = await mailServerFault(config);
  return fault === null ? ok('the mail server accepts this sender') : broken(fault, 'SMTP_URL');
}
