import { setTimeout as sleep } from 'node:timers/promises';
import { enableWebhooks, type Bench } from '../bench.ts';
import { openChainNode, type ChainNode } from '../chain-node.ts';
import { copyPayments, settleTables } from '../fill.ts';
import { readBlocks } from '../floors/blocks.ts';
import { startService } from '../processes.ts';
import { openReceivers, quantile, until, type Receivers } from '../receivers.ts';
import { byRound, interleave } from '../rounds.ts';
import { median, number } from '../table.ts';
import { cpuOf, limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';

/** Transfers to us in a block, and blocks in a round. */
const TRANSFERS = 200;
const BLOCKS = 2;
/** A block of Ethereum comes this often; with --quick sooner. */
const BLOCK_MS = 12_000;
const QUICK_BLOCK_MS = 1_000;
/** What is caught up with: blocks with some transfers each, every tenth of which pays us. */
const MISSED_BLOCKS = 2_000;
const MISSED_TRANSFERS = 5;
/** Of the copies of `copyPayments`, whose addresses are their numbers. */
const addressOf = (payment: number) => `0x${String(payment).padStart(40, '0')}`;
const STRANGER = `0x${'9'.repeat(40)}`;

interface Round {
  /** From when the block was served to the arrival of each event. */
  readonly seconds: readonly number[];
  readonly calls: number;
  readonly usage: Usage;
}

/** Measures a watcher on a network that pays open live payments, and how it catches up. */
export async function measureChain(bench: Bench, payments: number): Promise<void> {
  const node = await openChainNode();
  if (node === null) return console.log('No anvil here: no chain is measured.');
  const receivers = await openReceivers();
  try {
    await openPayments(bench, payments);
    await enableWebhooks(bench, receivers.url(1));
    await measureCatchUp(bench, node, payments);
    await measureBlocks(bench, node, receivers, payments);
  } finally {
    receivers.close();
    await node.close();
  }
}

async function openPayments({ db, merchantId }: Bench, count: number): Promise<void> {
  await db.query(`UPDATE merchants SET mode = 'live' WHERE id = $1`, [merchantId]);
  const deadline = `now() + interval '1 day'`;
  const terms = { settlement_mode: `'par'`, finality: `'safe'`, expires_at: deadline, deadline_at: deadline };
  await copyPayments(db, { count, payment: terms });
  await settleTables(db);
}

/** Without the quick blocks of other parts, and without the markets. */
function envOf({ env, isQuick }: Bench, node: ChainNode): NodeJS.ProcessEnv {
  const { SIMULATOR_BLOCK_SECONDS: _, ...own } = env;
  const markets = ['KRAKEN', 'COINBASE', 'COINGECKO'].map((name) => [
    `RATE_URL_${name}`,
    'http://127.0.0.1:9',
  ]);
  return {
    ...own,
    ...Object.fromEntries(markets),
    ...(isQuick ? { SIMULATOR_BLOCK_SECONDS: String(QUICK_BLOCK_MS / 1_000) } : {}),
    RPC_URLS_ETHEREUM: node.url,
  };
}

async function measureBlocks(
  bench: Bench,
  node: ChainNode,
  receivers: Receivers,
  payments: number,
): Promise<void> {
  const env = envOf(bench, node);
  const worker = await startService('worker', env);
  const watcher = await startService('watcher', env);
  const blockMs = bench.isQuick ? QUICK_BLOCK_MS : BLOCK_MS;
  const transfers = Math.min(TRANSFERS, Math.floor(payments / 4));
  let paid = 0;
  let minedAt = performance.now();
  const block = async (): Promise<number[]> => {
    const numbers = Array.from({ length: transfers }, (_, i) => 1 + ((paid + i) % payments));
    paid += transfers;
    await node.pay(numbers.map(addressOf));
    receivers.reset();
    // Blocks are late by up to a second, so that no poll falls into step with them.
    await sleep(minedAt + blockMs + Math.random() * 1_000 - performance.now());
    await node.mineNow();
    const servedAt = (minedAt = performance.now());
    const isOurs = (id: string) => numbers.includes(Number(id.slice(-16)));
    const arrived = () => [...receivers.arrivedAt].filter(([id]) => isOurs(id));
    await until(
      () => arrived().length === transfers,
      () => `${arrived().length} of ${transfers} payments were told`,
    );
    return arrived().map(([, at]) => (at - servedAt) / 1_000);
  };
  await block();
  const programs = { watcher: [watcher.pid], worker: [worker.pid], Postgres: [bench.postgresPid] };
  const rounds: Round[] = [];
  while (rounds.length < bench.rounds) {
    const end = watchCpu({ ...programs, Redis: [bench.redisPid], node: [node.pid] });
    const before = node.calls();
    const seconds: number[] = [];
    for (let blocks = 0; blocks < BLOCKS; blocks += 1) seconds.push(...(await block()));
    rounds.push({ seconds, calls: (node.calls() - before) / BLOCKS, usage: end() });
  }
  report(bench, rounds, { transfers, payments });
  await watcher.stop();
  await worker.stop();
}

function report(
  bench: Bench,
  rounds: readonly Round[],
  { transfers, payments }: { transfers: number; payments: number },
): void {
  const title = `a block with ${transfers} transfers to ${payments.toLocaleString('en-US')} open payments`;
  const limit = limitOf(sumOf(rounds.map(({ usage }) => usage)));
  const msOf = ({ usage }: Round, ...names: string[]) => (cpuOf(usage, ...names) * 1_000) / BLOCKS;
  const common = { floor: '', limit };
  const all = rounds.flatMap(({ seconds }) => seconds);
  bench.report({
    ...common,
    title: `${title}, from served to webhook, p50`,
    target: { atMost: 1, unit: ' s' },
    rounds: rounds.map(({ seconds }) => quantile(seconds, 0.5)),
    figures: `p99 ${number(quantile(all, 0.99))} s; polled twice a second`,
  });
  bench.report({
    ...common,
    title: `${title}, requests to the provider`,
    target: { atMost: 10 },
    rounds: rounds.map(({ calls }) => calls),
    figures: 'with the polls that find no block yet',
  });
  bench.report({
    ...common,
    title: `${title}, CPU of the watcher`,
    target: { atMost: 500, unit: ' ms' },
    rounds: rounds.map((round) => msOf(round, 'watcher')),
    figures: `Postgres ${number(median(rounds.map((round) => msOf(round, 'Postgres'))))} ms and worker ${number(
      median(rounds.map((round) => msOf(round, 'worker'))),
    )} ms, with three webhooks for each payment`,
  });
}

async function measureCatchUp(bench: Bench, node: ChainNode, payments: number): Promise<void> {
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

const CHAIN = 'ethereum/live';

/** Waits until the network is read up to its head, and returns the time of it. */
async function untilRead({ db }: Bench, node: ChainNode): Promise<number> {
  const { time } = await node.head();
  const scannedUntil = async () => {
    const { rows } = await db.query<{ scanned_until: Date | null }>(
      'SELECT scanned_until FROM chain_cursors WHERE chain = $1',
      [CHAIN],
    );
    return rows[0]?.scanned_until ?? null;
  };
  return until(
    async () => ((await scannedUntil())?.getTime() ?? 0) >= time.getTime(),
    async () => String(await scannedUntil()),
  );
}
