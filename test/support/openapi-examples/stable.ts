import { createHash } from 'node:crypto';

/** What a run of the service draws at random, by its form; the name says where a new value comes from. */
const FORMS: readonly (readonly [name: string, form: RegExp])[] = [
  ['id', /\b(?:mer|pay|evt|dlv|ref|req|wal|whe|lnk)_[0-9A-HJKMNP-TV-Z]{26}\b/g],
  ['token', /(?<=checkout\/|\/l\/|"token_id":")[\w-]{32}(?=["/])/g],
  ['secret', /whsec_[A-Za-z0-9+/]{43}=/g],
  ['public key', /whpk_[A-Za-z0-9+/]{43}=/g],
  ['kid', /(?<="(?:kid|x)":")[\w-]{43}/g],
  ['hash', /\b0x(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40})\b/g],
  ['logo', /(?<=\/logos?\/)[0-9a-f]{32}/g],
];

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Of the time in a ULID, which the clock of the run decides. */
const TIME_LENGTH = 10;
const DURATION_MS = 12;

/**
 * Replaces what differs from run to run by values of the same form that follow from the order in which they
 * appear, the same value by the same. `addresses` are those of the run's own servers, each with the one that
 * stands for it.
 */
export function stabilise<Value>(recorded: Value, addresses: Readonly<Record<string, string>>): Value {
  const replacements = new Map<string, string>();
  const counts = new Map<string, number>();
  const replace = (name: string, value: string): string => {
    const known = replacements.get(value);
    if (known !== undefined) return known;
    const kind = name === 'id' ? value.slice(0, 4) : name;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const stable = stableValue(kind, value, count);
    replacements.set(value, stable);
    return stable;
  };
  const replaceIn = (text: string): string =>
    FORMS.reduce((replaced, [name, form]) => replaced.replace(form, (value) => replace(name, value)), text);
  const text = Object.entries(addresses).reduce(
    (replaced, [from, to]) => replaced.replaceAll(from, to),
    replaceIn(JSON.stringify(recorded)),
  );
  return JSON.parse(text, (key, value: unknown) => {
    if (key === 'duration_ms') return DURATION_MS;
    return key === 'next_cursor' && typeof value === 'string' ? stableCursor(value, replaceIn) : value;
  }) as Value;
}

/** The `count`-th value of a kind: of the form of `value`, and at the time of an id. */
function stableValue(kind: string, value: string, count: number): string {
  const bytes = createHash('sha256').update(`${kind} ${count}`).digest();
  switch (kind) {
    case 'token':
      return bytes.subarray(0, 24).toString('base64url');
    case 'secret':
      return `whsec_${bytes.toString('base64')}`;
    case 'public key':
      return `whpk_${bytes.toString('base64')}`;
    case 'kid':
      return bytes.toString('base64url');
    case 'hash':
      return `0x${bytes.toString('hex')}`.slice(0, value.length);
    case 'logo':
      return bytes.toString('hex').slice(0, 32);
    default: {
      const random = [...bytes.subarray(0, 16)].map((byte) => CROCKFORD.charAt(byte % 32)).join('');
      return value.slice(0, kind.length + TIME_LENGTH) + random;
    }
  }
}

/** A cursor holds ids, or an epoch of the feed and the number of a transaction, or two numbers. */
function stableCursor(cursor: string, replaceIn: (text: string) => string): string {
  const parts = replaceIn(Buffer.from(cursor, 'base64url').toString());
  const stable = parts.replace(/^[0-9a-f]{12}\.\d+\./, '5f0c7d9be2a1.1042.').replace(/^\d+\.\d+$/, '1042.7');
  return Buffer.from(stable).toString('base64url');
}
