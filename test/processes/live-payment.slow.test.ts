import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { readConfig } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { unitsOf, useEvmStand } from '../support/evm-stand.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { useWallet } from '../support/wallets.ts';
import { startProcess } from './service.ts';
import { createStand, type Stand } from './stand.ts';

/** Web and worker have no provider; each process has what the Procfile gives it. */
describe('a live payment by web, worker and watcher', function () {
  this.timeout(120_000);
  const node = useEvmStand();
  let stand: Stand;
  let receiver: Receiver;
  beforeEach(async () => {
    [stand, receiver] = await Promise.all([createStand({ SIMULATOR_BLOCK_SECONDS: '0.4' }), startReceiver()]);
  });
  afterEach(async () => {
    await Promise.all([stand.close(), receiver.close()]);
  });

  interface Merchant {
    readonly merchant_id: string;
    readonly api_key: string;
    readonly webhook_secret: string;
  }
  async function addMerchant(): Promise<Merchant> {
    const args = ['create', '--json', '--mode', 'live', '--name', 'Shop', '--currency', 'USDC'];
    const command = startProcess('merchants', stand.env, [...args, '--network', 'ethereum']);
    expect(await command.ended()).to.equal(0);
    const merchant = JSON.parse(command.printed()) as Merchant;
    const config = readConfig(stand.env);
    const now = () => new Date();
    const log = createLog(config, { process: 'test' });
    await useWallet(
      { config, db: stand.db, log, now, systemNow: now, random: Math.random, testClock: null },
      merchant.merchant_id,
    );
    return merchant;
  }

  it('is settled in the coin that came to the wallet of the merchant, to the unit', async () => {
    const [web, merchant] = [await stand.startWeb(), await addMerchant()];
    await stand.startWorker();
    const call = (method: string, path: string, body?: object) =>
      fetch(`http://127.0.0.1:${web.port}${path}`, {
        method,
        headers: { 'X-API-Key': merchant.api_key, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const order = { pay_amount: '25.000001', order_id: 'order-1' };
    expect((await call('POST', '/v1/payment', order)).status, 'no watcher').to.equal(503);
    const watcher = startProcess('watcher', { ...stand.env, RPC_URLS_ETHEREUM: node().anvil.url });
    await watcher.says('"watching"');
    const endpoint = { webhookUrl: receiver.url, enabled: true };
    expect((await call('PUT', '/v1/webhooks/config', endpoint)).status).to.equal(200);
    let created: { id: string; status: string } | null = null;
    await until('the network is served', async () => {
      const response = await call('POST', '/v1/payment', order);
      if (response.status === 201) created = (await response.json()) as { id: string; status: string };
      return created !== null;
    });
    const [payment] = await stand.rows<{ id: string; address: string }>('SELECT id, address FROM payments');
    expect(payment?.id).to.match(/^pay_/);
    const txHash = await node().pay('USDC', payment?.address ?? '', 25n * unitsOf('USDC', 1) + 1n);
    await node().mine();
    await receiver.waitFor(2);
    await node().mine(12);
    await receiver.waitFor(4);
    const events = receiver.requests.map(({ rawBody, headers }) => ({
      signature: headers['x-webhook-signature'],
      timestamp: headers['x-webhook-timestamp'],
      text: rawBody.toString(),
      event: JSON.parse(rawBody.toString()) as {
        type: string;
        data: { payment: { txHash: string | null }; settlement: unknown };
      },
    }));
    expect(events.map(({ event }) => event.type)).to.have.members([
      'checkout.created',
      'checkout.pending',
      'checkout.processing',
      'checkout.settled',
    ]);
    const settled = events.find(({ event }) => event.type === 'checkout.settled');
    expect(settled?.event.data.payment.txHash).to.equal(txHash);
    expect(settled?.event.data.settlement).to.deep.equal({
      mode: 'par',
      coin: 'USDC',
      network: 'ethereum',
      amount: '25.000001',
    });
    for (const { signature, timestamp, text } of events)
      expect(signature).to.include(
        createHmac('sha256', merchant.webhook_secret)
          .update(`${String(timestamp)}.${text}`)
          .digest('hex'),
      );
    const ledger = await stand.rows<{ kind: string; amount: string; coin: string }>(
      'SELECT kind, amount, coin FROM ledger_entries ORDER BY id',
    );
    expect(ledger).to.deep.equal([
      { kind: 'received', amount: '25.000001', coin: 'USDC' },
      { kind: 'settled', amount: '25.000001', coin: 'USDC' },
    ]);
  });
});
