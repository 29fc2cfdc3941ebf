import { isUnable } from '../../chain/rpc/questions.ts';
import type { SigningKey } from '../../chain/keys/key-file.ts';
import { signTransaction } from '../../chain/keys/sign.ts';
import type { Context } from '../../../platform/context.ts';
import type { Deposit } from './look.ts';
import { broadcast, gasFor, gasLeft, nonceOf, type Node } from './node.ts';
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
import { report, type Cost, type FlushReport, type Seen } from './report.ts';
import { recordLooks, storeFlush } from './store.ts';

/** What a run works with. */
export interface Led extends Pick<Context, 'db' | 'systemNow'> {
  /** True while no other run can have begun. */
  leads(): Promise<boolean>;
}

interface Sending extends Pick<Seen, 'found' | 'faults' | 'ended'> {
  readonly deposits: readonly Deposit[];
  /** The payments whose addresses were looked at. */
  readonly ids: readonly string[];
  readonly key: SigningKey | null;
  readonly prices: Prices;
}

/**
 * Sends the flush of those deposits that are worth it, the first ones first; or says why it does not. Without
 * a key nothing is signed, sent or written down.
 */
export async function send(ctx: Led, node: Node, sending: Sending): Promise<FlushReport> {
  const { network } = node.coins;
  const { deposits, key, prices, found, faults, ended, ids } = sending;
  const worth = worthMoving(deposits, prices);
  if (key !== null) {
    const own = new Set(worth.map(({ payment_id }) => payment_id));
    const inVain = ids.filter((id) => !own.has(id));
    await recordLooks(ctx.db, network, inVain, node.final);
  }
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
  return sign(ctx, node, { fitted, key, seen, cost });
}

interface Signing {
  readonly fitted: Fitted;
  readonly key: SigningKey;
  readonly seen: Seen;
  readonly cost: Cost;
}

/** Stores a flush as it is signed, and gives it to every provider. */
async function sign(ctx: Led, node: Node, { fitted, key, seen, cost }: Signing): Promise<FlushReport> {
  const { maxFeePerGas, maxPriorityFeePerGas, chainId, coins } = node;
  const { plan, gas } = fitted;
  const nonce = await nonceOf(node, key.address, 'latest');
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  // To nobody, with nothing: it creates a contract.
  const creation = { chainId, nonce, ...fees, gas, to: Buffer.alloc(0), value: 0n, input: plan.input };
  const { raw, hash } = await signTransaction(key, creation);
  // Behind all calls of the node, which take their time: without the lock another run may have signed
  // meanwhile.
  if (!(await ctx.leads())) return report.busy(coins.network);
  await storeFlush(ctx.db, {
    tx_hash: hash,
    network: coins.network,
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

interface Fitted {
  readonly plan: Plan;
  readonly gas: bigint;
}

/** Returns a plan with the gas that it needs; fewer addresses where a transaction may not have as much. */
async function fit(node: Node, deposits: readonly Deposit[]): Promise<Fitted | null> {
  const most = mostGas(node.blockGas);
  for (let some = deposits; ;) {
    const plan = planFlush(some, most);
    if (plan === null) return null;
    try {
      const least = await gasFor(node, plan.input, most);
      // A twentieth more, for what rollups take of gas for what they write to Ethereum.
      const gas = (least * 21n) / 20n;
      if (least <= most) return { plan, gas: gas < most ? gas : most };
    } catch (error) {
      if (!isUnable(error) || plan.deposits.length === 1) throw error;
    }
    some = plan.deposits.slice(0, Math.floor(plan.deposits.length / 2));
  }
}
