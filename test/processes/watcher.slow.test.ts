import { NO_RATES } from '../support/rate-sites.ts';
import { expect } from 'chai';
import { createAdapters } from '../../src/domain/adapters.ts';
import { simulatedPayouts } from '../../src/domain/chain/simulator/simulated.ts';
import { findCaller } from '../../src/domain/merchants/api-keys.ts';
import { createMerchant } from '../../src/domain/merchants/store.ts';
import { createPayment } from '../../src/domain/payments/create.ts';
import { PERMISSIONS } from '../../src/domain/api/endpoint.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { hashApiKey } from '../../src/platform/values/ids.ts';
import { wordOf } from '../support/anvil.ts';
import { FORWARDER_CODE, unitsOf, useEvmStand } from '../support/evm-stand.ts';
import { until } from '../support/until.ts';
import { useWallet } from '../support/wallets.ts';
import { startProcess, type Service } from './service.ts';
import { createStand, type Stand } from './stand.ts';

/** A key as providers put them into their URLs. */
const KEY = 'k3ySt4nd1ngInAPath';
/** How often a watcher is killed. */
const KILLS = Number(process.env.KILLS ?? 6);

describe('the watcher beside a node', function () {
  this.timeout(120_000 + KILLS * 5_000);
  // Its blocks are older than the payments: what addresses held before is read from the final one.
  const node = useEvmStand(new Date(Math.floor(Date.now() / 1000 - 300) * 1000));
  let stand: Stand;
  let watchers: Service[];
  beforeEach(async () => {
    watchers = [];
    stand = await createStand({ SIMULATOR_BLOCK_SECONDS: '0.4' });
  });
  afterEach(async () => {
    if (process.env.SHOW) console.log(output());
    expect(output()).not.to.include(KEY);
    await stand.close();
  });

  const url = () => `${node().anvil.url}/?key=${KEY}`;
  const output = () => watchers.map((one) => one.output()).join('');
  const startWatcher = async (): Promise<void> => {
    const watcher = startProcess('watcher', { ...stand.env, ...NO_RATES, RPC_URLS_ETHEREUM: url() });
    watchers.push(watcher);
    await watcher.says('"watching"');
  };
  const chain = async () =>
    (
      await stand.rows<{ cursor: string | null; halted_because: string | null; head: string }>(
        `SELECT cursor, halted_because, head FROM chain_cursors WHERE chain = 'ethereum/live'`,
      )
    )[0];
  const isServed = () =>
    until('the network is served', async () => typeof (await chain())?.cursor === 'string');
  /** As web does. */
  async function createLive(amount = '10.50'): Promise<{ id: string; address: string }> {
    const config = readConfig(stand.env);
    const now = () => new Date();
    const log = createLog(config, { process: 'test' });
    const ctx = { config, db: stand.db, log, now, systemNow: now, random: Math.random, testClock: null };
    const { merchantId, apiKey } = await createMerchant(ctx, {
      name: 'Live',
      currency: 'USDC',
      network: 'ethereum',
      mode: 'live',
      permissions: PERMISSIONS,
    });
    await useWallet(ctx, merchantId);
    const caller = await findCaller(stand.db, hashApiKey(apiKey));
    if (caller === null) throw new Error('the merchant does not exist');
    const adapters = createAdapters(config, {
      real: { ethereum: { payouts: simulatedPayouts } },
      served: { networks: ['ethereum'], isHalted: () => false },
    });
    const body = { pay_amount: amount, order_id: 'order-1' };
    const { text } = await createPayment(ctx, adapters, caller, body, null);
    const { id } = JSON.parse(text) as { id: string };
    const [payment] = await stand.rows<{ address: string }>('SELECT address FROM payments WHERE id = ?', [
      id,
    ]);
    return { id, address: payment?.address ?? '' };
  }
  const statusIs = (id: string, status: string) =>
    until(`${id} is ${status}`, async () => {
      const rows = await stand.rows<{ status: string }>('SELECT status FROM payments WHERE id = ?', [id]);
      return rows[0]?.status === status;
    });
  const usdc = (address: string, cents: bigint) =>
    node().pay('USDC', address, cents * (unitsOf('USDC', 1) / 100n));

  it('sees a payment in a block, wakes the workers, and confirms it by the checkpoint of its amount', async () => {
    await startWatcher();
    await isServed();
    const { id, address } = await createLive();
    const txHash = await usdc(address, 1050n);
    await node().mine();
    await statusIs(id, 'PENDING');
    await until('what follows is in a queue, where nobody sweeps', async () => {
      const waiting = await stand.rows(`SELECT FROM bullmq.job WHERE state = 'waiting'`);
      return waiting.length > 0;
    });
    await node().mine(12);
    await statusIs(id, 'PROCESSING');
    const events = await stand.rows<{ body: string }>(
      'SELECT body FROM events WHERE payment_id = ? ORDER BY sequence',
      [id],
    );
    const payments = events.map(
      ({ body }) => (JSON.parse(body) as { data: { payment: Record<string, unknown> } }).data.payment,
    );
    expect(payments.map(({ txHash: hash }) => hash)).to.deep.equal([null, txHash, txHash]);
    expect(payments.map(({ requiredConfirmations }) => requiredConfirmations)).to.deep.equal([
      null,
      null,
      null,
    ]);
  });

  it('audits balances, and finds what a contract sent', async () => {
    await startWatcher();
    await isServed();
    const { id, address } = await createLive('1000000');
    const isAudited = async () =>
      (await stand.rows('SELECT FROM balance_audits WHERE payment_id = ?', [id])).length === 1;
    await until('it is audited', isAudited);
    const contract = await node().deploy(FORWARDER_CODE);
    await node().mine();
    await node().send(contract, unitsOf('ETH', 1), { data: wordOf(address), gas: '0x40000' });
    await node().mine(12);
    // What nobody has a price for is told as what it is once it has one, and waits meanwhile.
    await stand.rows(
      `INSERT INTO rates SELECT coin, 1, '{test}', now() FROM unnest(ARRAY['ETH', 'USDC']) AS c (coin)`,
    );
    await stand.rows(`UPDATE balance_audits SET due_at = now() - interval '1 day'`);
    await statusIs(id, 'PENDING');
    const rows = await stand.rows<{ tx_hash: string | null; amount_received: string }>(
      'SELECT tx_hash, amount_received FROM payments WHERE id = ?',
      [id],
    );
    expect(rows).to.deep.equal([{ tx_hash: null, amount_received: '1' }]);
  });

  it('goes on with another one when it is killed, and counts everything once', async () => {
    await Promise.all([startWatcher(), startWatcher()]);
    await isServed();
    const payments = await Promise.all(Array.from({ length: KILLS }, () => createLive()));
    for (const [index, { address }] of payments.entries()) {
      const [killed] = watchers.filter((one) => !one.isOver());
      await usdc(address, 1050n);
      await node().mine();
      // At any moment of a poll: the pauses differ by how long a process takes to start.
      if (index % 2 === 0) await startWatcher();
      killed?.signal('SIGKILL');
      if (watchers.every((one) => one.isOver())) await startWatcher();
    }
    await node().mine(12);
    for (const { id } of payments) await statusIs(id, 'PROCESSING');
    const sums = await stand.rows<{ amount_received: string; transfers: number; sequence: number }>(
      `SELECT amount_received, sequence, (SELECT count(*)::int FROM transfers WHERE payment_id = p.id) AS transfers
       FROM payments p ORDER BY id`,
    );
    expect(sums).to.deep.equal(payments.map(() => ({ amount_received: '10.5', sequence: 3, transfers: 1 })));
  });

  it('halts below the final height, tells no event, and goes on when an operator says so', async () => {
    await startWatcher();
    await isServed();
    const { id, address } = await createLive();
    await usdc(address, 1050n);
    await node().mine(13);
    await statusIs(id, 'PROCESSING');
    const fork = (await node().height()) - 30;
    await node().reorganise(30);
    await node().mine(5);
    await until('it has halted', async () => (await chain())?.halted_because !== null);
    const ops = async (...args: string[]) => {
      const command = startProcess('ops', { ...stand.env, OPS_ACTOR: 'Ada' }, args);
      return { code: await command.ended(), text: command.printed() };
    };
    const status = await ops('chain', 'status');
    expect(status.code).to.equal(1);
    expect(status.text).to.match(/^ethereum: head \d+ 0x.*\n {2}HALTED .* ago: /);
    const web = await stand.startWeb();
    const report = (await (await web.api('GET', '/v1/status')).json()) as { status: string; checks: unknown };
    expect(report).to.deep.include({
      status: 'degraded',
      checks: [{ check: 'networks', reason: 'ethereum has halted: an operator must look at it' }],
    });
    expect((await stand.rows('SELECT FROM events WHERE payment_id = ?', [id])).length).to.equal(3);
    expect((await ops('chain', 'rescan', '--network', 'ethereum', '--from', String(fork))).code).to.equal(0);
    expect((await ops('chain', 'resume', '--network', 'ethereum')).code).to.equal(0);
    // In the new branch nothing is paid, and the transaction may come again.
    await statusIs(id, 'PENDING');
    const rows = await stand.rows<{ exceptions: string[] }>('SELECT exceptions FROM payments WHERE id = ?', [
      id,
    ]);
    expect(rows).to.deep.equal([{ exceptions: ['reorged'] }]);
  });
});
