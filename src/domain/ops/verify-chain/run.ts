import { setTimeout as sleep } from 'node:timers/promises';
import { COINS_ON_NETWORKS, type CoinId } from '../../chain/coins.ts';
import { realChains } from '../../chain/profile.ts';
import { isFound } from '../../chain/transaction-hashes.ts';
import { type RpcNetwork } from '../../../platform/config/variables.ts';
import type { Context } from '../../../platform/context.ts';
import { groupBy } from '../../../platform/postgres/db.ts';
import { add, isZero } from '../../../platform/values/money.ts';
import { Findings, type Report } from '../verify/report.ts';
import { END, inSnapshot, readPageEnd } from '../verify/pages/payments.ts';
import { comparePlace, compareRefund, isAllThere, type Place } from './compare.ts';
import {
  findUnbooked,
  readDeposits,
  readOwned,
  readPaidRefunds,
  readTransfers,
  type BookedTransfer,
  type DepositRow,
  type PaidRefund,
  type Portion,
} from './rows.ts';
import { Totals, type NetworkReport } from './totals.ts';
import { withWitness, type Pause } from './open.ts';
import type { AskedTransaction, Witness } from './witness.ts';
import { CHAIN_INVARIANTS, KNOWN, PAID, RECEIVED } from './invariants.ts';

/** What is compared, and how far it has come. */
export interface VerifyChainOptions {
  readonly networks: readonly RpcNetwork[];
  /** Only payments behind this id: where a run has ended before. */
  readonly after: string;
  /** Where nodes keep no balances: blocks from here on are read, for money that nobody knows of. */
  readonly fromBlock: number | null;
  readonly pagePayments?: number;
  readonly onProgress?: (rows: number, of: string, until: string) => void;
  readonly pause?: Pause;
}

/** What was found, and the sums. */
export interface ChainReport extends Report {
  readonly networks: readonly NetworkReport[];
  /** Networks that nobody has read, or that have halted: nothing was compared. */
  readonly unread: readonly RpcNetwork[];
}

/**
 * Compares the ledger with chains, a page of payments at a time, up to one final block of each network. It
 * reads beside the service, and keeps sums by wallet and coin alone.
 */
export async function verifyChains(
  ctx: Pick<Context, 'db' | 'config'>,
  options: VerifyChainOptions,
): Promise<ChainReport> {
  const { pause = sleep } = options;
  const findings = new Findings(CHAIN_INVARIANTS);
  const networks: NetworkReport[] = [];
  const unread: RpcNetwork[] = [];
  for (const network of options.networks) {
    const report = await withWitness(ctx, { network, pause }, async (witness, requests) => {
      const run = { ctx, network, witness, findings, totals: new Totals(), options };
      await compareAll(run);
      await searchBlocks(run);
      return run.totals.report(network, witness, requests());
    });
    if (report === null) unread.push(network);
    else networks.push(report);
  }
  const report = findings.report(null);
  return { ...report, ok: report.ok && unread.length === 0, networks, unread };
}

interface Run {
  readonly ctx: Pick<Context, 'db' | 'config'>;
  readonly network: RpcNetwork;
  readonly witness: Witness;
  readonly findings: Findings;
  readonly totals: Totals;
  readonly options: VerifyChainOptions;
}

const PAGE_PAYMENTS = 1_000;

async function compareAll(run: Run): Promise<void> {
  const { ctx, network, witness, findings, options } = run;
  const limit = options.pagePayments ?? PAGE_PAYMENTS;
  const of = `payments on ${network}`;
  const { height } = witness.block;
  let { after } = options;
  while (after !== END) {
    const page = await inSnapshot(ctx.db, async (tx) => {
      const { rows, until, last } = await readPageEnd(tx, after, limit);
      const portion = { after, until, network, height };
      const read = { deposits: await readDeposits(tx, portion), refunds: await readPaidRefunds(tx, portion) };
      return { ...read, rows, until, last, portion };
    });
    // No transaction is open while a provider is asked.
    await compareDeposits(run, page.deposits, page.portion);
    await compareRefunds(run, page.refunds);
    const read = findings.count(of, page.rows);
    options.onProgress?.(read, of, page.last);
    after = page.until;
  }
}

async function compareDeposits(run: Run, rows: readonly DepositRow[], portion: Portion): Promise<void> {
  const { ctx, witness, totals, findings, network } = run;
  const stray = rows.filter(({ address }) => address === null);
  const strayed = stray.map(({ payment_id, coin, ledger, confirming }) => ({
    id: payment_id,
    detail: `${network}: the ledger has ${add(ledger, confirming)} ${coin}, and the payment has no address there`,
  }));
  findings.add(RECEIVED, strayed);
  const places = await holdingsOf(run, rows);
  const open = places.filter((place) => !isAllThere(place) && (place.held !== null || !isZero(place.booked)));
  const ids = [...new Set(open.map(({ payment_id }) => payment_id))];
  const booked = groupBy(await inSnapshot(ctx.db, (tx) => readTransfers(tx, ids, portion)), keyOf);
  const own = open.flatMap((place) =>
    (booked.get(keyOf(place)) ?? []).flatMap((one) => (isFound(one.tx_hash) ? [] : asked(one, place))),
  );
  const moved = await witness.moved(own);
  const isOpen = new Set(open);
  for (const place of places) {
    if (!isOpen.has(place)) totals.add(place, { left: '0', untold: '0' });
    else report(run, place, comparePlace(place, booked.get(keyOf(place)) ?? [], moved));
  }
}

const keyOf = ({ payment_id, coin }: { payment_id: string; coin: CoinId }) => `${payment_id} ${coin}`;

const asked = (
  { tx_hash, coin, height }: BookedTransfer,
  { address }: Pick<Place, 'address'>,
): AskedTransaction => ({ txHash: tx_hash, coin, address, height: Number(height) });

function report({ findings, totals, network }: Run, place: Place, compared: ReturnType<typeof comparePlace>) {
  const { payment_id, wallet_id, address } = place;
  totals.add(place, compared);
  const where = `${network} ${address} of wallet ${wallet_id}`;
  if (compared.differs !== null)
    findings.add(RECEIVED, [{ id: payment_id, detail: `${where}: ${compared.differs}` }]);
  if (compared.unknown !== null)
    findings.add(KNOWN, [{ id: payment_id, detail: `${where}: ${compared.unknown}` }]);
}

/** Every coin of the network at every address, also where nothing came as far as is known. */
async function holdingsOf({ ctx, network, witness }: Run, rows: readonly DepositRow[]): Promise<Place[]> {
  const { contractOf } = realChains(ctx.config);
  const coins = COINS_ON_NETWORKS.filter((one) => one.network === network)
    .map(({ coin }) => coin)
    .filter((coin) => contractOf(coin, network) !== undefined);
  const places = [...groupBy(rows, ({ payment_id }) => payment_id).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined || first.address === null) return [];
    const { payment_id, wallet_id, address } = first;
    return coins.map((coin) => {
      const row = same.find((one) => one.coin === coin);
      const booked = row === undefined ? '0' : add(row.ledger, row.confirming);
      const baseline = contractOf(coin, network) === null ? (first.baseline ?? '0') : '0';
      return { payment_id, wallet_id, address, coin, booked, baseline };
    });
  });
  const held = await witness.held(places);
  return places.map((place, i) => ({ ...place, held: held[i] ?? null }));
}

async function compareRefunds({ witness, findings, totals }: Run, refunds: readonly PaidRefund[]) {
  const named = refunds.filter(({ tx_hash }) => tx_hash !== '');
  const moved = await witness.moved(
    named.map(({ tx_hash, coin, address, height }) => {
      return { txHash: tx_hash, coin, address, height: Number(height ?? 0) };
    }),
  );
  for (const refund of refunds) {
    const detail = compareRefund(refund, moved);
    if (detail === null) totals.refund(refund.wallet_id, refund.coin, refund.amount);
    else findings.add(PAID, [{ id: refund.id, detail }]);
  }
}

/** Reads the blocks of a network whose nodes keep no balances, where somebody asks for it. */
async function searchBlocks({ ctx, network, witness, findings, options }: Run): Promise<void> {
  const { fromBlock, onProgress } = options;
  if (fromBlock === null || witness.received === undefined) return;
  const of = `blocks of ${network}`;
  const own = (addresses: readonly string[]) => inSnapshot(ctx.db, (tx) => readOwned(tx, network, addresses));
  for await (const received of witness.received(fromBlock, own)) {
    const unknown = await inSnapshot(ctx.db, (tx) => findUnbooked(tx, network, received));
    const named = unknown.map(({ payment_id, address, amount, coin, txHash, height }) => ({
      id: payment_id,
      detail: `${network} ${address}: ${amount} ${coin} came by ${txHash} in block ${height}, and is not in the books`,
    }));
    findings.add(KNOWN, named);
    const read = findings.count(of, 1);
    onProgress?.(read, of, '');
  }
}
