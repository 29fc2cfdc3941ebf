import { liveChainKey } from '../../chain/chain-key.ts';
import { walletFault } from '../../chain/wallets/open.ts';
import { listWallets } from '../../chain/wallets/store.ts';
import type { SigningKey } from '../../chain/keys/key-file.ts';
import { COIN_IDS, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { readLastRates } from '../../chain/rates/store.ts';
import type { Context } from '../../../platform/context.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { Leadership } from '../../../platform/postgres/leadership.ts';
import { compare, multiply } from '../../../platform/values/money.ts';
import { findCandidates } from './candidates.ts';
import { endFlush, sendAgain, standingOf } from './follow.ts';
import { deriveAgain, lookAtFinal, lookAtNow } from './look.ts';
import { withNode, type Node } from './node.ts';
import type { Prices } from './plan.ts';
import { report, type FlushReport, type Seen } from './report.ts';
import { send, type Led } from './send.ts';
import { abandonFlushes, findOpenFlushes, markSeen, scannedHeight } from './store.ts';

/** What a run is to do. */
export interface FlushAsked {
  readonly network: NetworkId;
  /** Only addresses that hold as much, in US dollars. */
  readonly minUsd: string;
  /** The fee may be so many per cent of what moves. */
  readonly maxFeePercent: string;
  /** Null: nothing is signed, sent or written down. */
  readonly key: SigningKey | null;
}

type FlushContext = Pick<Context, 'db' | 'config' | 'systemNow'>;

/** Addresses that one run asks the node for: more than one transaction takes. */
const LOOKED_AT = 500;
/** By an older rate nobody knows what a fee is worth. */
const RATE_SECONDS = 86_400;

/**
 * Moves the money of forwarders to their treasuries by one transaction, or follows up on the last one. One
 * flush of a network is open at a time, and one run works on it.
 */
export async function flushForwarders(ctx: FlushContext, asked: FlushAsked): Promise<FlushReport> {
  const { network, key } = asked;
  const scanned = await scannedHeight(ctx.db, liveChainKey(network));
  if (scanned === null) return report.notRead(network);
  const work = (leads: Led['leads']) =>
    withNode(ctx, network, scanned, (node) => runOn({ ...ctx, leads }, node, asked));
  if (key === null) return work(() => Promise.resolve(true));
  return leading(ctx, network, (lead) => work(() => lead.hold()));
}

/** Works on the flushes of a network, unless another run does. */
async function leading(
  { config }: Pick<Context, 'config'>,
  network: NetworkId,
  work: (lead: Leadership) => Promise<FlushReport>,
): Promise<FlushReport> {
  const lead = new Leadership(config.databaseDirectUrl, `flush ${network}`, `flush ${network}`);
  try {
    return (await lead.hold()) ? await work(lead) : report.busy(network);
  } finally {
    await lead.end();
  }
}

/**
 * Ends an open flush by hand, to which a hash belongs, whatever becomes of it: the next run makes a new one.
 * Should it be mined after all, the money is at the treasuries, and its gas is spent beside that of the new
 * one. Throws RangeError unless it is open.
 */
export async function abandonFlush(
  ctx: Pick<Context, 'db' | 'config' | 'systemNow'>,
  network: NetworkId,
  txHash: string,
): Promise<FlushReport> {
  return leading(ctx, network, async () => {
    const count = await abandonFlushes(ctx.db, network, txHash, ctx.systemNow());
    if (count === 0) throw new RangeError(`${txHash} is no open flush of ${network}: see ops status`);
    return report.abandoned(network, txHash, count);
  });
}

async function runOn(ctx: Led & FlushContext, node: Node, asked: FlushAsked): Promise<FlushReport> {
  const { network, key } = asked;
  const usdOf = await ratesOf(ctx);
  const prices = pricesOf(node, asked, usdOf);
  const open = await findOpenFlushes(ctx.db, network);
  const [newest] = open;
  let ended: Seen['ended'] = null;
  if (newest !== undefined) {
    const standing = await standingOf(node, open);
    if (standing === 'mined') return report.mined(network, newest);
    if (standing === 'unmined')
      return key === null
        ? report.unmined(network, newest)
        : report.sentAgain(network, newest, await sendAgain(ctx, node, newest, { key, prices }));
    if (key !== null) await endFlush(ctx, node, open, standing);
    ended = { ...standing, addresses: newest.payment_ids.length };
  }
  // What was sent is followed without rates: only what it may cost depends on them.
  if (prices === null) return report.noRate(network, node.coins.native, ended);
  const found = await findDeposits(ctx, node, asked, usdOf);
  return send(ctx, node, { ...found, ended, key, prices });
}

type UsdOf = (coin: CoinId) => string | null;

/** Null: nobody knows what the native coin is worth. */
function pricesOf({ coins, maxFeePerGas }: Node, { maxFeePercent }: FlushAsked, usdOf: UsdOf): Prices | null {
  const { native } = coins;
  const usd = native === null ? null : usdOf(native);
  if (native === null || usd === null) return null;
  return { maxFeePerGas, maxFeePercent, usdOf: (units) => multiply(coins.amountOf(native, units), usd) };
}

async function findDeposits(
  ctx: FlushContext,
  node: Node,
  { network, minUsd, key }: FlushAsked,
  usdOf: UsdOf,
) {
  const now = ctx.systemNow();
  const wallets = await listWallets(ctx.db, null);
  const candidates = await findCandidates(ctx.db, {
    network,
    finalHeight: node.final,
    minUsd,
    limit: LOOKED_AT,
    refused: wallets.flatMap((wallet) => (walletFault(ctx.config, wallet) === null ? [] : wallet.id)),
    ids: null,
    now,
  });
  const { derived, faults } = deriveAgain(ctx, wallets, candidates);
  // Whoever moved it: what has gone by the final block is looked at no more.
  if (key !== null) await markSeen(ctx.db, network, await lookAtFinal(node, derived, false), now);
  const looked = await lookAtNow(node, derived, usdOf);
  return {
    found: candidates[0]?.found ?? 0,
    faults: [...faults, ...looked.faults],
    deposits: [...looked.deposits].sort((a, b) => compare(b.usd, a.usd)),
    ids: derived.map(({ payment_id }) => payment_id),
  };
}

/** Returns what a coin is worth by the last rates, in US dollars; null: nobody knows. */
async function ratesOf({ db, systemNow }: FlushContext): Promise<(coin: CoinId) => string | null> {
  const since = addSeconds(systemNow(), -RATE_SECONDS);
  const rates = await readLastRates(db, COIN_IDS);
  return (coin) => {
    const rate = rates.get(coin);
    return rate !== undefined && rate.at > since ? rate.usd : null;
  };
}
