import { newAddress, OPEN_SCRIPT, type BuiltTransaction, type Coin } from '../support/bitcoin-blocks.ts';
import type { BitcoinStand } from '../support/bitcoin-stand.ts';
import type { Harness } from '../support/harness.ts';
import type { ScriptNode } from './chain-stand.ts';

/** A node takes no block two hours ahead of its clock: 10,000 scripts must end before. */
const BLOCK_SECONDS = 30;
const [FEE, HIGHER_FEE] = [2_000n, 20_000n];
/** Transfers of a script, refunds included, at most. */
const COINS_EACH = 6;
const SATOSHI_EACH = 2_000_000n;
/** A transaction with more outputs is not relayed. */
const OUTPUTS = 2_000;

/** Customers on a node of Bitcoin. */
export function bitcoinScriptNode(stand: BitcoinStand, harness: Harness): ScriptNode {
  const known = new Map<string, BuiltTransaction>();
  /** Not mined yet, in the order in which they were sent. */
  let pooled: BuiltTransaction[] = [];
  let coins: Coin[] = [];
  const knownOf = (id: string): BuiltTransaction => {
    const found = known.get(id);
    if (found === undefined) throw new Error(`${id} was not sent`);
    return found;
  };
  const mineWith = async (first: readonly BuiltTransaction[], blocks: number) => {
    harness.advance(blocks * BLOCK_SECONDS);
    const now = harness.ctx.now().getTime() / 1_000;
    for (let left = blocks - 1; left >= 0; left -= 1)
      await stand.mine({
        time: now - left * BLOCK_SECONDS,
        transactions: left === blocks - 1 ? first : [],
      });
  };
  const mine = async (blocks: number) => {
    const all = pooled;
    pooled = [];
    await mineWith(all, blocks);
  };
  const build = (spends: readonly Coin[], to: string | null, satoshi: bigint, fee: bigint) => {
    const built = stand.build([[to ?? newAddress(), satoshi]], spends, fee);
    known.set(built.id, built);
    return built;
  };
  const leave = (id: string) => void (pooled = pooled.filter((one) => one.id !== id));
  const post = async (built: BuiltTransaction) => {
    await stand.rpc('sendrawtransaction', built.hex);
    pooled.push(built);
    return built.id;
  };
  return {
    refunded: '0.001',
    coins: ['BTC'],
    units: (random) => BigInt(1_000 + random.below(1_000_000)),
    async fund(scripts) {
      known.clear();
      coins = [];
      const needed = scripts * COINS_EACH;
      while (coins.length < needed) {
        const count = Math.min(OUTPUTS, needed - coins.length);
        const pays = Array.from({ length: count }, () => [OPEN_SCRIPT, SATOSHI_EACH] as const);
        const split = stand.build(pays, [stand.coin()], 1_000_000n);
        pooled.push(split);
        coins.push(...split.coins.slice(0, count));
      }
      // Deeper than any reorganisation here.
      await mine(1);
      await mineWith([], 4);
    },
    address: newAddress,
    send(to, _coin, satoshi) {
      const coin = coins.shift();
      if (coin === undefined) throw new Error('there are no coins left');
      return post(build([coin], to, satoshi, FEE));
    },
    async replace(id, to, satoshi) {
      leave(id);
      return post(build(knownOf(id).spends, to, satoshi, HIGHER_FEE));
    },
    evict: (id) => Promise.resolve(leave(id)),
    mine,
    async reorganise(depth, again, lost) {
      await stand.invalidate(depth);
      const others = lost.map((id) => build(knownOf(id).spends, null, 1_000n, HIGHER_FEE));
      await mineWith([...again.map(knownOf), ...others], depth + 1);
    },
  };
}
