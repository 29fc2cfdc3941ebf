import type { Bench } from '../bench.ts';
import type { ChainNode } from '../chain-node.ts';
import { readBlocks } from '../floors/blocks.ts';
import { startService } from '../processes.ts';
import { byRound, interleave } from '../rounds.ts';
import { median, number } from '../table.ts';
import { addressOf, CHAIN, envOf, untilRead } from '../watched-chain.ts';
import { limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';

/** What is caught up with: blocks with some transfers each, every tenth of which pays us. */
const MISSED_BLOCKS = 2_000;
const MISSED_TRANSFERS = 5;
const STRANGER = `0x${'9'.repeat(40)}`;

/** Measures how fast a watcher reads what it has missed. */
export async function measureCatchUp(bench: Bench, node: ChainNode, payments: number): Promise<void> {
  const env = { ...envOf(bench, node), RPC_URLS_ETHEREUM: node.direct };
  const first = await startService('watcher', env);
  await untilRead(bench, node);
  await first.stop();
  const { height: from } = await node.head();
  const missed = bench.isQuick ? 64 : MISSED_BLOCKS;
  for (let blocks = 0; blocks < missed; blocks += 1) {
    const last = blocks % 10 === 0 ? addressOf(payments - ((blocks / 10) % payments)) : STRANGER;
    await node.pay([...Array.from({ length: MISSED_TRANSFERS - 1 }, () => STRANGER), last]);
    await node.mine();
  }
  // All of them are final.
  await node.mine(32);
  const { height: to } = await node.head();
  const usages: Usage[] = [];
  const ours = async () => {
    // As `ops chain rescan` does.
    await bench.db.query('UPDATE chain_cursors SET cursor = $1, scanned_until = NULL WHERE chain = $2', [
      String(from),
      CHAIN,
    ]);
    const watcher = await startService('watcher', env);
    const end = watchCpu({ watcher: [watcher.pid], Postgres: [bench.postgresPid], node: [node.pid] });
    const startedAt = performance.now();
    const seconds = ((await untilRead(bench, node)) - startedAt) / 1_000;
    usages.push(end());
    await watcher.stop();
    return (to - from) / seconds;
  };
  const rounds = await interleave(bench.rounds, ours, () => readBlocks(node.direct, from + 1, to));
  bench.report({
    title: `blocks a second while ${missed.toLocaleString('en-US')} are caught up with, ${MISSED_TRANSFERS} transfers each`,
    floor: `the same blocks and logs, requested and parsed, ${number(median(rounds.floor))} a second`,
    target: { atLeast: 0.5 },
    rounds: byRound(rounds, (one, other) => one / other),
    figures: `${number(median(rounds.ours))} a second; each tenth block pays us`,
    limit: limitOf(sumOf(usages)),
  });
}
