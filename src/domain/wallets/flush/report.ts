import type { NetworkId } from '../../chain/networks.ts';
import type { SentAgain } from './follow.ts';
import type { FlushOutcome, OpenFlush } from './store.ts';

/** What a run found and did. */
export interface FlushReport {
  readonly facts: { readonly network: NetworkId; readonly state: string } & Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Somebody has to do something. */
  readonly isBad: boolean;
  /** It signed, sent or ended something. */
  readonly hasSent: boolean;
}

/** What a run looked at. */
export interface Seen {
  readonly network: NetworkId;
  /** Addresses with money, as far as is known. */
  readonly found: number;
  /** Those looked at whose money is worth less than the gas may cost. */
  readonly uneconomic: number;
  readonly faults: readonly string[];
  /** What became of the flush before, which has just ended; null: none has. */
  readonly ended: (FlushOutcome & { readonly addresses: number }) | null;
}

/** What a flush moves, and costs at most. */
export interface Cost {
  readonly addresses: number;
  readonly usd: string;
  readonly gas: string;
  readonly max_fee_per_gas: string;
  readonly max_fee_usd: string;
  readonly max_fee_percent: string;
}

type How = Partial<Pick<FlushReport, 'isBad' | 'hasSent'>>;

function said(
  facts: FlushReport['facts'],
  text: string,
  { isBad = false, hasSent = false }: How = {},
): FlushReport {
  return { facts, text, isBad, hasSent };
}

function ofSeen(state: string, seen: Seen, cost: Cost | null, text: string, how: How = {}): FlushReport {
  const { faults, ended } = seen;
  const lines = [
    ...(ended === null ? [] : [endedText(ended)]),
    ...faults.map((fault) => `LEFT OUT: ${fault}`),
    text,
  ];
  const facts = { ...seen, state, ...cost };
  return said(facts, lines.join('\n'), { ...how, isBad: how.isBad === true || faults.length > 0 });
}

function endedText({ tx_hash, outcome, gas_used, fee, addresses }: NonNullable<Seen['ended']>): string {
  if (tx_hash === null)
    return 'The flush before was replaced by a transaction of the same account that is none of ours.';
  const each = Math.round(Number(gas_used) / addresses);
  return `${tx_hash} is final and ${outcome}: gas ${gas_used}, ${each} an address, which cost ${fee}.`;
}

const costText = ({ addresses, usd, max_fee_usd, max_fee_percent, gas }: Cost): string =>
  `${addresses} addresses with ${dollars(usd)}, for at most ${dollars(max_fee_usd)} of gas (${gas}), ` +
  `${max_fee_percent} %`;

/** What is said of each end of a run. */
export const report = {
  notRead: (network: NetworkId) =>
    said(
      { network, state: 'not_read' },
      `No watcher has read ${network} up to a final block, or it has halted: see chain status.`,
      { isBad: true },
    ),
  busy: (network: NetworkId) =>
    said({ network, state: 'busy' }, `Another run flushes ${network}: this one does nothing.`),
  noRate: (network: NetworkId, coin: string | null, ended: Seen['ended']) =>
    said(
      { network, state: 'no_rate', ended },
      `${ended === null ? '' : `${endedText(ended)}\n`}No rate of ${coin ?? 'its native coin'} is younger than a day: nobody knows what gas is worth. A watcher ` +
        'stores rates.',
      { isBad: true },
    ),
  abandoned: (network: NetworkId, txHash: string, count: number): FlushReport =>
    said(
      { network, state: 'abandoned', tx_hash: txHash, transactions: count },
      `${txHash} is abandoned: the next run makes a new flush. Should it be mined after all, it pays the same ` +
        'treasuries, and its gas is spent as well.',
      { hasSent: true },
    ),
  mined: (network: NetworkId, { tx_hash, sent_at }: OpenFlush) =>
    said(
      { network, state: 'mined', tx_hash },
      `${tx_hash}, sent at ${sent_at.toISOString()}, is in a block that is not final: nothing else is sent before.`,
    ),
  unmined: (network: NetworkId, { tx_hash, sent_at }: OpenFlush) =>
    said(
      { network, state: 'unmined', tx_hash },
      `${tx_hash}, sent at ${sent_at.toISOString()}, is in no block: a run without --dry-run sends it again.`,
    ),
  sentAgain: (
    network: NetworkId,
    before: OpenFlush,
    { hash, isTaken, because, isReplaced }: SentAgain,
  ): FlushReport => {
    const did = isReplaced ? `was replaced by ${hash}, for more gas` : 'was sent again';
    const why = because === null ? '' : `, as it was: ${because}`;
    return said(
      { network, state: isReplaced ? 'replaced' : 'sent_again', tx_hash: hash, replaces: before.tx_hash },
      `${before.tx_hash} is in no block since ${before.sent_at.toISOString()}, and ${did}${why}.${notTaken(isTaken)}`,
      { isBad: !isTaken || because !== null, hasSent: isReplaced },
    );
  },
  nothing: (seen: Seen) =>
    ofSeen(
      'nothing',
      seen,
      null,
      seen.found === 0
        ? `No forwarder on ${seen.network} holds money that is final.`
        : `Nothing to move on ${seen.network}: of ${seen.found} addresses with money ${seen.uneconomic} of those ` +
            'looked at hold less than their gas may cost; the others are being moved, or were.',
    ),
  tooDear: (seen: Seen, cost: Cost, percent: string) =>
    ofSeen(
      'too_dear',
      seen,
      cost,
      `Not sent: ${costText(cost)}, and --max-fee-percent is ${percent}. Wait for cheaper gas or more money.`,
    ),
  planned: (seen: Seen, cost: Cost) =>
    ofSeen('planned', seen, cost, `Would move ${costText(cost)}. Nothing was signed.`),
  noGas: (seen: Seen, cost: Cost, holds: string) =>
    ofSeen('no_gas', seen, cost, `Not sent: ${costText(cost)}. The gas wallet ${holds}: send it some more.`, {
      isBad: true,
    }),
  sent: (seen: Seen, cost: Cost, by: { hash: string; account: string; isTaken: boolean }): FlushReport => {
    const { facts, ...rest } = ofSeen(
      'sent',
      seen,
      cost,
      `Sent ${by.hash}: ${costText(cost)}, from ${by.account}.${notTaken(by.isTaken)} The next run says what ` +
        'became of it.',
      { isBad: !by.isTaken, hasSent: true },
    );
    return { ...rest, facts: { ...facts, tx_hash: by.hash, account: by.account } };
  },
} as const;

const notTaken = (isTaken: boolean): string =>
  isTaken ? '' : ' No provider has taken it: the next run sends the same bytes again.';

/** Two decimals are enough for people, except below a cent. */
function dollars(amount: string): string {
  const number = Number(amount);
  return `$${number < 0.01 ? amount : number.toFixed(2)}`;
}
