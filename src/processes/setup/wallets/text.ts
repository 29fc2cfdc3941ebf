import type { ShownAddress } from '../../../domain/wallets/first-addresses.ts';

type Facts = Readonly<Record<string, unknown>>;

/** A changed wallet for people: what `--json` prints, and its first addresses in a table. */
export function changedText(facts: Facts): string {
  const { addresses, mailed: _, deployment: __, ...rest } = facts;
  const table = (addresses as readonly ShownAddress[]).map(
    ({ index, path, address }) => `  ${index}  ${address}  ${path}`,
  );
  return [...lines(rest), '', 'The first addresses:', ...table, '', toldText(facts)].join('\n');
}

function toldText({ mailed, merchant_id, state }: Facts): string {
  if (mailed === null) return 'Nothing has changed.';
  if (mailed !== 0) return `Told by mail, where the workers have SMTP_URL: ${JSON.stringify(mailed)}.`;
  if (merchant_id !== null)
    return 'The merchant has no mail address (set-email): nobody is written to. Tell them yourself.';
  return state === 'pending'
    ? 'Nobody is written to about a default before it is confirmed.'
    : 'No merchant that uses the default has a mail address (set-email): nobody is written to. Tell them yourself.';
}

/** Wallets for people, one a line. */
export function listText({ wallets }: Facts): string {
  return (wallets as readonly Facts[])
    .map(
      ({ wallet_id, merchant_id, kind, state, unaudited, public_key, treasury, networks, indices_taken }) =>
        [
          wallet_id,
          merchant_id ?? 'default',
          state,
          `${String(kind)}${unaudited === true ? ' (unaudited)' : ''}`,
          public_key ?? treasury,
          (networks as readonly string[]).join(','),
          `${String(indices_taken)} indices taken`,
        ].join('  '),
    )
    .join('\n');
}

/** The rows have gone to standard output, where they are. */
export function exportText({ file, rows }: Facts): string {
  return typeof file === 'string' ? `${JSON.stringify(rows)} rows in ${file}.` : '';
}

function lines(facts: Facts): string[] {
  return Object.entries(facts).map(
    ([name, value]) => `${name.padEnd(15)} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}
