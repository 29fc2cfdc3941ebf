import { liveChainKey } from '../../chain/chain-key.ts';
import { isUnable } from '../../chain/rpc/questions.ts';
import type { SigningKey } from '../../chain/keys/key-file.ts';
import { signTransaction } from '../../chain/keys/sign.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { readLastRates } from '../../chain/rates/store.ts';
import type { Context } from '../../../platform/context.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { Leadership } from '../../../platform/postgres/leadership.ts';
import { multiply } from '../../../platform/values/money.ts';
import { findCandidates } from './candidates.ts';
import { endFlush, sendAgain, standingOf } from './follow.ts';
import { deriveAgain, lookAtFinal, lookAtNow, type Deposit } from './look.ts';
import { broadcast, gasFor, gasLeft, nonceOf, withNode, type Node } from './node.ts';
import {
  feeOf,
  isAbove,
  mostGas,
  percentOf,
  planFlush,
  worthMoving,
  type Plan,
  type Prices,
} from './plan.ts';
import { report, type FlushReport, type Seen } from './report.ts';
import { findOpenFlushes, markSeen, scannedHeight, storeFlush } from './store.ts';

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
  const work = () => withNode(ctx, network, scanned, (node) => runOn(ctx, node, asked));
  if (key === null) return work();
  const lead = new Leadership(ctx.config.databaseDirectUrl, `flush ${network}`, `flush ${network}`);
  try {
    return (await lead.hold()) ? await work() : report.busy(network);
  } finally {
    await lead.end();
  }
}

async function runOn(ctx: FlushContext, node: Node, asked: FlushAsked): Promise<FlushReport> {
  const { db } = ctx;
  const { network, key } = asked;
  const usdOf = await ratesOf(ctx);
  const { native } = node.coins;
  const ofNative = native === null ? null : usdOf(native);
  if (native === null || ofNative === null) return report.noRate(network, native);
  const prices: Prices = {
    maxFeePerGas: node.maxFeePerGas,
    usdOf: (units) => multiply(node.coins.amountOf(native, units), ofNative),
    maxFeePercent: asked.maxFeePercent,
  };
  const open = await findOpenFlushes(db, network);
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
  const found = await findDeposits(ctx, node, asked, usdOf);
  return send(ctx, node, { ...found, ended, key, prices });
}

async function findDeposits(
  ctx: FlushContext,
  node: Node,
  { network, minUsd, key }: FlushAsked,
  usdOf: (coin: CoinId) => string | null,
) {
  const now = ctx.systemNow();
  const candidates = await findCandidates(ctx.db, {
    network,
    finalHeight: node.final,
    ratesSince: addSeconds(now, -RATE_SECONDS),
    minUsd,
    limit: LOOKED_AT,
    ids: null,
    now,
  });
  const { derived, faults } = await deriveAgain(ctx, candidates);
  // Whoever moved it: what has gone by the final block is looked at no more.
  if (key !== null) await markSeen(ctx.db, network, await lookAtFinal(node, derived, false), now);
  const deposits = await lookAtNow(node, derived, usdOf);
  return { found: candidates[0]?.found ?? 0, faults, deposits };
}

interface Sending extends Pick<Seen, 'found' | 'faults' | 'ended'> {
  readonly deposits: readonly Deposit[];
  readonly key: SigningKey | null;
  readonly prices: Prices;
}

async function send(ctx: FlushContext, node: Node, sending: Sending): Promise<FlushReport> {
  const { network } = node.coins;
  const { deposits, key, prices, found, faults, ended } = sending;
  const worth = worthMoving(deposits, prices);
  const fitted = await fit(node, worth);
  const seen = { network, found, uneconomic: deposits.length - worth.length, faults, ended };
  if (fitted === null) return report.nothing(seen);
  const { plan, gas } = fitted;
  const fee = feeOf(gas, prices);
  const cost = {
    addresses: plan.deposits.length,
    usd: plan.usd,
    gas: String(gas),
    max_fee_per_gas: String(prices.maxFeePerGas),
    max_fee_usd: fee,
    max_fee_percent: percentOf(fee, plan.usd),
  };
  if (isAbove(fee, plan.usd, prices)) return report.tooDear(seen, cost, prices.maxFeePercent);
  if (key === null) return report.planned(seen, cost);
  const left = await gasLeft(node, key.address);
  if (left.units < gas * prices.maxFeePerGas) return report.noGas(seen, cost, left.text);
  const { maxFeePerGas, maxPriorityFeePerGas, chainId } = node;
  const nonce = await nonceOf(node, key.address, 'latest');
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  // To nobody, with nothing: it creates a contract.
  const creation = { chainId, nonce, ...fees, gas, to: Buffer.alloc(0), value: 0n, input: plan.input };
  const { raw, hash } = await signTransaction(key, creation);
  await storeFlush(ctx.db, {
    tx_hash: hash,
    network,
    account: key.address,
    nonce,
    raw,
    payment_ids: plan.deposits.map(({ payment_id }) => payment_id),
    usd: plan.usd,
    sent_at: ctx.systemNow(),
  });
  return report.sent(seen, cost, {
    hash,
    account: key.address,
    isTaken: await broadcast(node, { raw, hash }),
  });
}

/** Returns a plan with the gas that it needs; fewer addresses where a transaction may not have as much. */
async function fit(node: Node, deposits: readonly Deposit[]): Promise<{ plan: Plan; gas: bigint } | null> {
  const most = mostGas(node.blockGas);
  for (let some = deposits; ;) {
    const plan = planFlush(some, most);
    if (plan === null) return null;
    try {
      // A twentieth more: a first coin of a treasury, a price of storage that has changed.
      const gas = ((await gasFor(node, plan.input, most)) * 21n) / 20n;
      if (gas <= most) return { plan, gas };
    } catch (error) {
      if (!isUnable(error) || plan.deposits.length === 1) throw error;
    }
    some = plan.deposits.slice(0, Math.floor(plan.deposits.length / 2));
  }
}

/** Returns what a coin is worth by the last rates, in US dollars; null: nobody knows. */
async function ratesOf({ db, systemNow }: FlushContext): Promise<(coin: CoinId) => string | null> {
  const since = addSeconds(systemNow(), -RATE_SECONDS);
  const rates = await readLastRates(db);
  return (coin) => {
    const rate = rates.get(coin);
    return rate !== undefined && rate.at > since ? rate.usd : null;
  };
}
