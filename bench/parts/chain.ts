import { setTimeout as sleep } from 'node:timers/promises';
import { enableWebhooks, type Bench } from '../bench.ts';
import { openChainNode, type ChainNode } from '../chain-node.ts';
import { copyPayments, settleTables } from '../fill.ts';
import { startService } from '../processes.ts';
import { openReceivers, quantile, until, type Receivers } from '../receivers.ts';
import { median, number } from '../table.ts';
import { addressOf, envOf, QUICK_BLOCK_MS } from '../watched-chain.ts';
import { cpuOf, limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';
import { measureCatchUp } from './chain-catch-up.ts';

/** Transfers to us in a block, and blocks in a round. */
const TRANSFERS = 200;
const BLOCKS = 2;
/** A block of Ethereum comes this often. */
const BLOCK_MS = 12_000;

interface Round {
  /** From when the block was served to the arrival of each event. */
  readonly seconds: readonly number[];
  /** To when its transfers were stored. */
  readonly stored: readonly number[];
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
  const countStored = async () => {
    const { rows } = await bench.db.query<{ count: string }>('SELECT count(*) FROM transfers');
    return Number(rows[0]?.count);
  };
  const block = async (): Promise<{ stored: number; seconds: number[] }> => {
    const numbers = Array.from({ length: transfers }, (_, i) => 1 + ((paid + i) % payments));
    paid += transfers;
    await node.pay(numbers.map(addressOf));
    receivers.reset();
    // Blocks are late by up to a second, so that no poll falls into step with them.
    await sleep(minedAt + blockMs + Math.random() * 1_000 - performance.now());
    const known = await countStored();
    await node.mineNow();
    const servedAt = (minedAt = performance.now());
    const storedAt = await until(async () => (await countStored()) === known + transfers);
    const isOurs = (id: string) => numbers.includes(Number(id.slice(-16)));
    const arrived = () => [...receivers.arrivedAt].filter(([id]) => isOurs(id));
    await until(
      () => arrived().length === transfers,
      () => `${arrived().length} of ${transfers} payments were told`,
    );
    const seconds = arrived().map(([, at]) => (at - servedAt) / 1_000);
    return { stored: (storedAt - servedAt) / 1_000, seconds };
  };
  await block();
  const programs = { watcher: [watcher.pid], worker: [worker.pid], Postgres: [bench.postgresPid] };
  const rounds: Round[] = [];
  while (rounds.length < bench.rounds) {
    const end = watchCpu({ ...programs, Redis: [bench.redisPid], node: [node.pid] });
    const before = node.calls();
    const own = [];
    while (own.length < BLOCKS) own.push(await block());
    const seconds = own.flatMap((one) => one.seconds);
    const stored = own.map((one) => one.stored);
    rounds.push({ seconds, stored, calls: (node.calls() - before) / BLOCKS, usage: end() });
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
    figures: `p99 ${number(quantile(all, 0.99))} s; polled twice a second, stored after ${number(median(rounds.flatMap(({ stored }) => stored)))} s`,
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
