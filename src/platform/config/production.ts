import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** The variables that this file reads. */
type Environment = Readonly<Record<string, string | undefined>>;

/** The values that are safe or weak, as they were parsed. */
interface Settings {
  readonly publicUrl: string;
  readonly adminPassword: string | null;
  readonly secretsKeys: readonly Buffer[];
  readonly simulateLive: boolean;
}

/** With the limit on failed sign-ins, out of reach also for someone who guesses from many addresses. */
const MIN_PASSWORD_LENGTH = 12;
/** Fewer different characters are a key held down, or one word repeated. */
const MIN_DIFFERENT_CHARACTERS = 6;
const WELL_KNOWN_PASSWORD = /^(admin|root|pass(word|wort)?|secret|change-?me|letmein|qwerty|[\d_.!-])+$/i;

/** A key that is no secret, because it stands here: development and tests need none of their own. */
export const DEVELOPMENT_KEY = createHash('sha256').update('payment-checkout development key').digest();

/** True unless NODE_ENV is `development` or `test`: unset, `prod` and `staging` are as strict. */
export function isProduction({ NODE_ENV }: Environment): boolean {
  return NODE_ENV !== 'development' && NODE_ENV !== 'test';
}

/**
 * Returns what production refuses in these settings, one sentence each. With `showsLinks`, PUBLIC_URL must be
 * set: a process that shows no link to a customer works without it.
 */
export function productionFaults(env: Environment, settings: Settings, showsLinks: boolean): string[] {
  const faults = [
    secretsKeyFault(env, settings),
    publicUrlFault(env, settings, showsLinks),
    passwordFault(settings),
    simulateLiveFault(env, settings),
  ].filter((fault) => fault !== null);
  if (faults.length > 0 && !env.NODE_ENV)
    faults.push('NODE_ENV is not set, which counts as production: for development set NODE_ENV=development');
  return faults;
}

function secretsKeyFault(env: Environment, { secretsKeys }: Settings): string | null {
  // A file that cannot be read has a fault of its own.
  if (!env.SECRETS_KEY && !env.SECRETS_KEY_FILE)
    return 'SECRETS_KEY is not set: in production webhook secrets are encrypted with it; make one with `openssl rand -base64 32`';
  const isPublic = (key: Buffer) => [DEVELOPMENT_KEY, Buffer.alloc(32)].some((one) => isSame(one, key));
  return secretsKeys.some(isPublic)
    ? 'SECRETS_KEY holds a key that is no secret, the one of development or all zeros: make one with `openssl rand -base64 32`'
    : null;
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A checkout link carries the token that opens its page: over plain http everyone on the way reads it. */
function publicUrlFault(env: Environment, { publicUrl }: Settings, showsLinks: boolean): string | null {
  if (!env.PUBLIC_URL)
    return showsLinks
      ? 'PUBLIC_URL is not set: in production checkout links begin with it; give the https URL that customers reach, https://pay.example.com'
      : null;
  if (publicUrl.startsWith('https://') || isLoopbackUrl(publicUrl)) return null;
  return 'PUBLIC_URL must begin with https:// in production: checkout links carry tokens';
}

/** True when the URL reaches only this machine: nothing crosses a network, and no customer gets there. */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  if (isIPv4(hostname)) return hostname.startsWith('127.');
  return hostname === '[::1]' || hostname === 'localhost' || hostname.endsWith('.localhost');
}

function passwordFault({ adminPassword }: Settings): string | null {
  if (adminPassword === null) return null;
  const isWeak =
    adminPassword.length < MIN_PASSWORD_LENGTH ||
    new Set(adminPassword).size < MIN_DIFFERENT_CHARACTERS ||
    WELL_KNOWN_PASSWORD.test(adminPassword);
  return isWeak
    ? `ADMIN_PASSWORD must be hard to guess in production, at least ${MIN_PASSWORD_LENGTH} characters; make one with \`openssl rand -base64 18\``
    : null;
}

function simulateLiveFault(env: Environment, { simulateLive }: Settings): string | null {
  return simulateLive && env.SIMULATE_LIVE_IN_PRODUCTION !== 'yes-lose-money'
    ? 'SIMULATE_LIVE is true in production: orders would count as paid without money; to accept that, set SIMULATE_LIVE_IN_PRODUCTION=yes-lose-money as well'
    : null;
}
