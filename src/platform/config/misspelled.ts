import { distance } from '../values/nearest.ts';

/**
 * An unknown variable with one of these prefixes is a misspelling of ours. WEBHOOK_ alone would be too wide:
 * WEBHOOK_URL and WEBHOOK_SECRET belong to receivers of webhooks.
 */
const OWN_PREFIXES = [
  'WEBHOOK_ALLOW',
  'WEBHOOK_RETR',
  'WEBHOOK_TIMEOUT',
  'SIMULATOR_',
  'SIMULATE_',
  'RATE_LIMIT_SCALE',
  'TRUSTED_PROX',
  'RPC_URL',
  'RPC_QUORUM',
  'RPC_TRACE',
  'BITCOIN_RPC',
  'BITCOIN_ESPLORA',
  'BITCOIN_REFUND',
  'CONFIRMATIONS_',
];

/**
 * A sentence for each of `names` that is a misspelling of a known variable, with the one that was probably
 * meant.
 */
export function misspelledVariables(names: readonly string[], known: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (known.includes(name)) return [];
    const meant = known.find((candidate) => isTypoOf(name, candidate));
    if (meant !== undefined) return [`${name} is not a variable of this service: did you mean ${meant}?`];
    if (OWN_PREFIXES.some((prefix) => name.startsWith(prefix)))
      return [`${name} is not a variable of this service`];
    return [];
  });
}

/**
 * Short names resemble too many others; long ones may have two typos. A prefix is no typo: EMAIL_FROM is
 * another program's.
 */
function isTypoOf(name: string, variable: string): boolean {
  if (variable.length < 7 || name.endsWith(variable)) return false;
  const typos = distance(name.toUpperCase(), variable);
  return typos <= (variable.length < 14 ? 1 : 2);
}
