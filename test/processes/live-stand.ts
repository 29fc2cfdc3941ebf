import { expect } from 'chai';
import type { CoinId } from '../../src/domain/chain/coins.ts';
import type { NetworkId } from '../../src/domain/chain/networks.ts';
import { readConfig, type Environment } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { verifyWebhook, type WebhookEvent } from '../../src/sdk/index.ts';
import { NO_RATES } from '../support/rate-sites.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { useWallet } from '../support/wallets.ts';
import { startProcess, type Service } from './service.ts';
import { createStand, type Stand, type Web, type Worker } from './stand.ts';

/** A live merchant on a web and a worker, which have no provider, and a receiver of the merchant's events. */
export interface LiveStand extends Stand {
  readonly web: Web;
  readonly worker: Worker;
  readonly live: LiveMerchant;
  readonly receiver: Receiver;
  /** Asks no market, unless told where one is. */
  startWatcher(env: Environment): Promise<Service>;
  /** A request with the live merchant's key. */
  call(method: string, path: string, body?: object): Promise<Response>;
  /** Creates a payment, as soon as a watcher has read its network. */
  order(amount: string): Promise<Ordered>;
  /** Waits for an event of a payment, and returns those until then: each is signed and has come once. */
  until(id: string, event: string): Promise<WebhookEvent[]>;
  events(id: string): WebhookEvent[];
}

export interface LiveMerchant {
  readonly merchant_id: string;
  readonly api_key: string;
  readonly webhook_secret: string;
}

export interface Ordered {
  readonly id: string;
  readonly address: string;
  readonly checkout_url: string;
}

/** In what a merchant of the stand is paid. */
interface Settlement {
  readonly currency: CoinId;
  readonly network: NetworkId;
}

/** Starts web and worker, and creates a live merchant with a wallet and an endpoint for events. */
export async function createLiveStand(
  extra: Environment = {},
  settlement: Settlement = { currency: 'USDC', network: 'ethereum' },
): Promise<LiveStand> {
  const [stand, receiver] = await Promise.all([
    createStand({ SIMULATOR_BLOCK_SECONDS: '0.4', ...extra }),
    startReceiver(),
  ]);
  const [web, worker, live] = await Promise.all([
    stand.startWeb(),
    stand.startWorker(),
    addMerchant(stand, settlement),
  ]);
  const call: LiveStand['call'] = (method, path, body) =>
    fetch(`http://127.0.0.1:${web.port}${path}`, {
      method,
      headers: { 'X-API-Key': live.api_key, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const endpoint = { webhookUrl: receiver.url, enabled: true };
  expect((await call('PUT', '/v1/webhooks/config', endpoint)).status).to.equal(200);
  const events: LiveStand['events'] = (id) => {
    const all = receiver.requests.map(({ rawBody, headers }) => {
      const verified = verifyWebhook({ rawBody, headers, secrets: live.webhook_secret });
      if (!verified.ok) throw new Error(verified.message);
      return verified.event;
    });
    const own = all.filter(({ data }) => 'checkout' in data && data.checkout.id === id);
    expect(new Set(own.map((event) => event.id)).size, 'no event came twice').to.equal(own.length);
    return own;
  };
  return {
    ...stand,
    web,
    worker,
    live,
    receiver,
    call,
    events,
    async startWatcher(env) {
      const watcher = startProcess('watcher', { ...stand.env, ...NO_RATES, ...env });
      await watcher.says('"watching"');
      return watcher;
    },
    async order(amount) {
      let created: Pick<Ordered, 'id' | 'checkout_url'> | null = null;
      await until('the network is served', async () => {
        const response = await call('POST', '/v1/payment', { pay_amount: amount, order_id: 'order-1' });
        if (response.status === 201) created = (await response.json()) as Ordered;
        return created !== null;
      });
      const { id = '', checkout_url = '' } = created ?? {};
      const [payment] = await stand.rows<{ address: string }>('SELECT address FROM payments WHERE id = ?', [
        id,
      ]);
      return { id, checkout_url, address: payment?.address ?? '' };
    },
    async until(id, event) {
      await until(`${id} tells ${event}`, () => events(id).some(({ type }) => type === `checkout.${event}`));
      return events(id);
    },
    async close() {
      await Promise.all([stand.close(), receiver.close()]);
    },
  };
}

async function addMerchant(stand: Stand, { currency, network }: Settlement): Promise<LiveMerchant> {
  const args = ['create', '--json', '--mode', 'live', '--name', 'Shop', '--currency', currency];
  const command = startProcess('merchants', stand.env, [...args, '--network', network]);
  expect(await command.ended()).to.equal(0);
  const merchant = JSON.parse(command.printed()) as LiveMerchant;
  const config = readConfig(stand.env);
  const now = () => new Date();
  const log = createLog(config, { process: 'test' });
  await useWallet(
    { config, db: stand.db, log, now, systemNow: now, random: Math.random, testClock: null },
    merchant.merchant_id,
    { network },
  );
  return merchant;
}
