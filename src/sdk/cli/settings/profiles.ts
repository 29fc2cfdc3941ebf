import { CommandError, UsageError } from '../command/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readText, settingsPath, writePrivately } from './files.ts';

/** A login: where the service is, and the key for it. */
export interface Profile {
  readonly url: string;
  readonly key: string;
}

/** What a call uses, and where it comes from, in words. */
export interface Login extends Profile {
  readonly from: string;
}

export const KEY_VARIABLE = 'PAYMENT_CHECKOUT_KEY';
export const URL_VARIABLE = 'PAYMENT_CHECKOUT_URL';
const PROFILE_VARIABLE = 'PAYMENT_CHECKOUT_PROFILE';

export function configPath(env: Terminal['env']): string {
  return settingsPath(env, 'config.json');
}

/** The name of the profile that is meant. Throws UsageError for what is no name. */
export function profileName(env: Terminal['env'], asked: string | undefined): string {
  const name = asked ?? given(env, PROFILE_VARIABLE) ?? 'default';
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new UsageError('the name of a profile has letters, digits, ".", "_" and "-" only');
  return name;
}

/** Every profile by its name. Throws CommandError for a file that is damaged. */
export function readProfiles(env: Terminal['env']): ReadonlyMap<string, Profile> {
  const path = configPath(env);
  const text = readText(path);
  const profiles = new Map<string, Profile>();
  if (text === null) return profiles;
  try {
    const { profiles: stored } = JSON.parse(text) as { profiles: Record<string, Partial<Profile>> };
    for (const [name, { url, key }] of Object.entries(stored)) {
      if (typeof url !== 'string' || typeof key !== 'string') throw new TypeError(name);
      profiles.set(name, { url, key });
    }
  } catch {
    // Without the cause, which may quote the file.
    throw new CommandError(`${path} is damaged: remove it, and log in again`);
  }
  return profiles;
}

/** Adds or replaces a profile. */
export function storeProfile(env: Terminal['env'], name: string, profile: Profile): void {
  const profiles = new Map(readProfiles(env)).set(name, profile);
  writePrivately(configPath(env), `${JSON.stringify({ profiles: Object.fromEntries(profiles) }, null, 2)}\n`);
}

/**
 * The login of a call: the profile that it names; otherwise that of the environment, where a profile fills in
 * what is not set. A stored key goes to its own URL only. Throws CommandError where there is no login, or
 * where the environment names another URL for a stored key.
 */
export function findLogin(env: Terminal['env'], asked: string | undefined): Login {
  const name = profileName(env, asked);
  const stored = readProfiles(env).get(name);
  const own = asked === undefined ? { url: given(env, URL_VARIABLE), key: given(env, KEY_VARIABLE) } : {};
  const url = own.url ?? stored?.url;
  const key = own.key ?? stored?.key;
  if (url === undefined || key === undefined)
    throw new CommandError(
      `there is no login "${name}": run "payment-checkout login", or set ${URL_VARIABLE} and ${KEY_VARIABLE}`,
    );
  if (own.key === undefined && stored !== undefined && placeOf(url) !== placeOf(stored.url))
    throw new CommandError(
      `${URL_VARIABLE} is not the URL of the login "${name}", and its key goes to ${stored.url} only: ` +
        `unset ${URL_VARIABLE}, set ${KEY_VARIABLE} as well, or log in there with a --profile of its own`,
    );
  const parts = [
    ...(own.url === undefined ? [] : [URL_VARIABLE]),
    ...(own.key === undefined ? [] : [KEY_VARIABLE]),
    ...(own.url === undefined || own.key === undefined ? [`profile "${name}"`] : []),
  ];
  return { url, key, from: parts.join(', ') };
}

/** What two spellings of a URL have in common; what is no URL is refused later. */
function placeOf(url: string): string {
  try {
    return new URL(url).href.replace(/\/+$/, '');
  } catch {
    return url;
  }
}

/** A variable that is set and not empty. */
export function given(env: Terminal['env'], name: string): string | undefined {
  const value = env[name]?.trim() ?? '';
  return value === '' ? undefined : value;
}
