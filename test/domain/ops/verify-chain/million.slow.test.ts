import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { tokenContract } from '../../../../src/domain/chain/coins.ts';
import { TRANSFER_TOPIC } from '../../../../src/domain/chain/evm/transfers.ts';
import {
  readDeposits,
  readPaidRefunds,
  readTransfers,
} from '../../../../src/domain/ops/verify-chain/rows.ts';
import { verifyChains } from '../../../../src/domain/ops/verify-chain/run.ts';
import { reportText } from '../../../../src/domain/ops/verify/report.ts';
import { explain, rowsRead } from '../../../support/explain.ts';
import { BASE_HEADER } from '../../../support/foreign-blocks.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { openRealNetwork } from '../../../support/real-network.ts';
import { openShop } from '../../../support/shop.ts';

/** VERIFY_CHAIN_PAYMENTS=1000000 is the size of a large shop. */
const PAYMENTS = Number(process.env.VERIFY_CHAIN_PAYMENTS ?? 20_000);
const HEIGHT = Number(BASE_HEADER.number);
const UNITS = 10_500_000n;
const MEGABYTE = 1_048_576;
/** Statements of a second or two. */
const COPIES_A_STATEMENT = 10_000;
/** The money of one in so many has moved on. */
const MOVED_EVERY = 10;

const USDC = tokenContract('USDC', 'base')?.toLowerCase() ?? '';
const numberOf = (word: string) => Number.parseInt(word.slice(-10), 16);
const wordOf = (value: bigint) => value.toString(16).padStart(64, '0');

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node of a chain on which every payment was paid: it keeps nothing, and computes what it is asked. */
function answerTo({ id, method, params }: Asked) {
  const results: Record<string, () => unknown> = {
    eth_chainId: () => '0x2105',
    eth_getBlockByNumber: () => BASE_HEADER,
    eth_call: () => {
      const { data } = params[0] as { data: string };
      const [token = '', ...addresses] = data.slice(2 + 2 * 106).match(/.{64}/g) ?? [];
      const isUsdc = token.slice(-40) === USDC.slice(2);
      // The payment that was copied is none of them.
      const isCopy = (word: string) => word.startsWith('0'.repeat(54));
      const held = (word: string) =>
        isUsdc && isCopy(word) && numberOf(word) % MOVED_EVERY !== 0 ? UNITS : 0n;
      return `0x${addresses.map((word) => wordOf(held(word))).join('')}`;
    },
    eth_getTransactionReceipt: () => {
      const [hash = ''] = params as string[];
      const to = `0x${hash.slice(2)}`;
      const topics = [TRANSFER_TOPIC, `0x${wordOf(1n)}`, to];
      return {
        blockNumber: '0x1',
        status: '0x1',
        logs: [{ address: USDC, topics, data: `0x${wordOf(UNITS)}` }],
      };
    },
  };
  return { jsonrpc: '2.0', id, result: results[method]?.() ?? null };
}

describe(`verify --chain of ${PAYMENTS} payments`, function () {
  this.timeout(1_200_000);
  let harness: Harness;
  let node: Server;
  before(async () => {
    harness = await createHarness();
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const asked = (await json(request)) as Asked | Asked[];
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answerTo) : answerTo(asked)));
    };
    node = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => void node.listen(0, '127.0.0.1', resolve));
    await seed();
  });
  after(async () => {
    node.close();
    await harness.close();
  });

  /** Copies a payment that is paid, with what the books have of it, to other addresses. */
  const seed = async () => {
    const { ctx } = harness;
    const shop = await openShop(harness);
    const real = openRealNetwork(harness, shop, undefined, 'base');
    await real.sync();
    const id = await real.create();
    await real.pay(id);
    await real.sync();
    await real.mine(60);
    for (let poll = 0; poll < 3; poll += 1) while (await real.sync());
    expect(await real.statusOf(id)).to.equal('PROCESSING');
    const copyId = `left(o.payment_id, 22) || lpad(i::text, 8, '0')`;
    const word = (length: number) => `'0x' || lpad(to_hex(i), ${length}, '0')`;
    const own: Readonly<Record<string, string>> = {
      payments: `jsonb_build_object('id', ${copyId.replace('payment_id', 'id')}, 'token_id', md5(i::text),
        'address', ${word(40)}, 'deposit_index', i + 10, 'tx_hash', ${word(64)})`,
      quotes: `jsonb_build_object('payment_id', ${copyId}, 'address', ${word(40)})`,
      transfers: `jsonb_build_object('payment_id', ${copyId}, 'tx_hash', ${word(64)}, 'block_height', 1)`,
      ledger_entries: `jsonb_build_object('payment_id', ${copyId})`,
    };
    for (const [table, values] of Object.entries(own)) {
      await ctx.db.raw(`CREATE TABLE originals AS SELECT * FROM ${table}`);
      for (let from = 1; from <= PAYMENTS; from += COPIES_A_STATEMENT)
        await ctx.db.raw(
          `INSERT INTO ${table} OVERRIDING USER VALUE SELECT c.* FROM originals o,
             generate_series(${from}, ${Math.min(PAYMENTS, from + COPIES_A_STATEMENT - 1)}) AS i,
             jsonb_populate_record(NULL::${table}, to_jsonb(o) || ${values}) c`,
        );
      await ctx.db.raw('DROP TABLE originals');
    }
    await ctx.db.raw(`DELETE FROM ledger_entries WHERE payment_id = '${id}'`);
    await ctx.db.raw(`DELETE FROM transfers WHERE payment_id = '${id}'`);
    await ctx.db.raw(`UPDATE chain_cursors SET final_height = ${HEIGHT} WHERE chain = 'base/live'`);
    await ctx.db.raw('ANALYZE');
  };

  it('has equal sums, in memory that does not grow with them', async () => {
    const { port } = node.address() as AddressInfo;
    const rpc = { base: { urls: [`http://127.0.0.1:${port}`], quorumUsd: 1e9 } };
    const ctx = { ...harness.ctx, config: { ...harness.ctx.config, simulateLive: false, rpc } };
    const rss: number[] = [];
    const startedAt = performance.now();
    const onProgress = () => void rss.push(process.memoryUsage().rss / MEGABYTE);
    const report = await verifyChains(ctx, { networks: ['base'], after: '', fromBlock: null, onProgress });
    await nextTurn();
    expect(report.ok, reportText(report)).to.equal(true);
    const [network] = report.networks;
    const { totals, requests } = network ?? { totals: [], requests: 0 };
    expect(totals).to.have.length(1);
    expect(totals[0]).to.include({ addresses: PAYMENTS, ledger: String(PAYMENTS * 10.5) });
    expect(totals[0]).to.include({ left: String((PAYMENTS / MOVED_EVERY) * 10.5) });
    const early = Math.max(...rss.slice(0, Math.ceil(rss.length / 5)));
    const most = Math.max(...rss);
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(
      `      ${PAYMENTS} payments in ${seconds.toFixed(0)} s, ${requests} requests, ` +
        `${early.toFixed(0)} MB after a fifth, ${most.toFixed(0)} MB at most`,
    );
    expect(most - early, 'megabytes').to.be.at.most(100);
    expect(requests, 'requests').to.be.at.most(Math.ceil(PAYMENTS / 1_000) * 10 + 10);
  });

  it('reads each page by indexes', async () => {
    const { db } = harness.ctx;
    const all = await db('payments')
      .orderBy('id')
      .pluck('id')
      .offset(PAYMENTS - 5_000)
      .limit(1_001);
    const ids = all as string[];
    const portion = {
      after: ids[0] ?? '',
      until: ids[1_000] ?? '',
      network: 'base',
      height: HEIGHT,
    } as const;
    const plans = await explain(db, async (tx) => {
      expect(await readDeposits(tx, portion)).to.have.length(1_000);
      await readPaidRefunds(tx, portion);
      await readTransfers(tx, ids.slice(1), portion);
    });
    expect(plans).to.have.length(6);
    for (const plan of plans)
      for (const table of ['payments', 'quotes', 'transfers', 'ledger_entries', 'refunds'])
        expect(rowsRead(plan, table), `${table}\n${plan}`).to.be.at.most(1_100);
  });
});
