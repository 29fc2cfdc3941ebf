import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { endAll } from './service.ts';
import { createStand, type Stand, type Web, type Worker } from './stand.ts';

const CUSTOMER = 'anna.secret@customer.example';
const UNKNOWN_CUSTOMER = 'nobody.secret@customer.example';
const REFUND_ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const PAGE_ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const ADMIN_PASSWORD = 'a long word for operators';
const HOOK_TOKEN = `hook${randomBytes(12).toString('hex')}`;

interface Payment {
  readonly id: string;
  readonly token_id: string;
  readonly status: string;
}

/** One run through all kinds of traffic, failing ones among them, at the most talkative level. */
describe('everything that a full run writes', function () {
  this.timeout(240_000);
  let stand: Stand;
  let mail: MailServer;
  let receiver: Receiver;
  let isReceiving = true;
  let web: Web;
  let worker: Worker;
  /** Error answers and metrics, as a client or a scraper stores them. */
  const written: string[] = [];
  const secrets = new Map<string, string>();
  const keep = (what: string, ...values: string[]) => values.forEach((value) => secrets.set(value, what));

  before(async () => {
    mail = await startMailServer();
    mail.refuseRecipient(UNKNOWN_CUSTOMER, 550);
    receiver = await startReceiver({ answer: () => Promise.resolve({ status: isReceiving ? 200 : 500 }) });
    stand = await createStand({
      LOG_LEVEL: 'debug',
      ADMIN_PASSWORD,
      SMTP_URL: mail.url.replace('//', '//mailer:mail-password@'),
      WEBHOOK_RETRY_SECONDS: '0.1,0.1',
      WEBHOOK_TIMEOUT_SECONDS: '2',
    });
    [web, worker] = await Promise.all([stand.startWeb(), stand.startWorker()]);
    keep('setting', ADMIN_PASSWORD, btoa(`admin:${ADMIN_PASSWORD}`), stand.env.SECRETS_KEY ?? '');
    keep('setting', 'mail-password', new URL(stand.env.DATABASE_URL ?? '').password || 'no password');
    keep('API key', stand.merchant.apiKey, `sk_live_${'A'.repeat(32)}`, 'not-even-a-key-secret');
    keep('mail address', CUSTOMER, UNKNOWN_CUSTOMER);
    keep('refund address', REFUND_ADDRESS, PAGE_ADDRESS);
    keep('token of a webhook URL', HOOK_TOKEN);
  });
  after(async () => {
    await endAll();
    await stand.close();
    await receiver.close();
    await mail.close();
  });

  /** Asks and keeps what an error answers. */
  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await fetch(`http://127.0.0.1:${web.port}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'X-API-Key': stand.merchant.apiKey,
        ...(typeof body === 'object' ? { 'Content-Type': 'application/json' } : {}),
        ...(typeof body === 'string' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    // A page links to itself, for the customer who has the link already: its body is theirs alone.
    const isPage = path.startsWith('/checkout/');
    if (answer.status >= 400 && !isPage)
      written.push(`${method} ${answer.status} ${JSON.stringify([...answer.headers])} ${text}`);
    return { status: answer.status, text };
  }

  async function create(body: object): Promise<Payment> {
    const { status, text } = await ask('POST', '/v1/payment', { pay_amount: '10', order_id: 'o', ...body });
    expect(status, text).to.equal(201);
    const payment = JSON.parse(text) as Payment;
    keep('checkout token', payment.token_id);
    return payment;
  }

  const settled = (id: string) =>
    until('the payment is settled', async () => {
      const { text } = await ask('GET', `/v1/payment/${id}`);
      return (JSON.parse(text) as Payment).status === 'SETTLED';
    });

  async function keepWebhookSecrets(): Promise<void> {
    const { text } = await ask('GET', '/v1/webhooks/secrets');
    const found = text.match(/whsec_[\w+/=]+/g) ?? [];
    expect(found).to.not.be.empty;
    for (const secret of found) keep('webhook secret', secret, secret.slice('whsec_'.length));
  }

  async function askForPages(token: string): Promise<number[]> {
    const pages = [
      ask('GET', `/checkout/${token}`),
      ask('GET', `/checkout/${token}/status`),
      ask('POST', `/checkout/${token}/coin`, 'coin=USDT&network=tron'),
      ask('POST', `/checkout/${token}/refund-address`, `address=${PAGE_ADDRESS}`),
      ask('POST', `/checkout/${token}/simulate`, 'do=pay'),
    ];
    return (await Promise.all(pages)).map(({ status }) => status);
  }

  it('holds no key, secret, token, mail address or refund address', async () => {
    // What works.
    await keepWebhookSecrets();
    await ask('PUT', '/v1/webhooks/config', {
      webhookUrl: `${receiver.url}?key=${HOOK_TOKEN}`,
      enabled: true,
    });
    const [paid, unknown] = [
      await create({ customer_email: CUSTOMER }),
      await create({ customer_email: UNKNOWN_CUSTOMER }),
    ];
    await askForPages(paid.token_id);
    await Promise.all([settled(paid.id), settled(unknown.id)]);
    await ask('POST', `/v1/payment/${paid.id}/refund`, { amount: '2', address: REFUND_ADDRESS });
    for (const path of ['/v1/webhooks/test', '/v1/webhooks/examine', '/v1/webhooks/secrets/rotate'])
      await ask('POST', path, {});
    await keepWebhookSecrets();
    for (const path of [
      '/v1/payments',
      '/v1/events',
      '/v1/webhooks/deliveries',
      '/v1/status',
      '/v1/openapi.json',
    ])
      await ask('GET', path);
    await until('the receipts were tried', () => /receipt (given up|failed)/.test(worker.output()));
    await until('a receipt was sent', () => mail.mails.length > 0);

    // What a client does wrong.
    const wrong = { pay_amount: '-1', order_id: '', customer_email: `${CUSTOMER} `, calback_url: HOOK_TOKEN };
    await ask('POST', '/v1/payment', wrong);
    await ask('POST', '/v1/payment', `{"customer_email":"${CUSTOMER}"`, {
      'Content-Type': 'application/json',
    });
    await ask('POST', `/v1/payment/${paid.id}/refund`, { amount: '99', address: REFUND_ADDRESS });
    await ask('POST', `/v1/payment/${paid.id}/refund`, { amount: '1', address: `${REFUND_ADDRESS}00` });
    for (const key of [...secrets].filter(([, what]) => what === 'API key').slice(1))
      await ask('GET', '/v1/payments', undefined, { 'X-API-Key': key[0] });
    for (const credentials of [ADMIN_PASSWORD, 'wrong secret'])
      for (const path of ['/metrics', '/admin/queues/api/queues']) {
        const Authorization = `Basic ${btoa(`admin:${credentials}`)}`;
        const { text } = await ask('GET', path, undefined, { Authorization });
        if (path === '/metrics') written.push(text);
      }
    keep('guessed password', 'wrong secret', btoa('admin:wrong secret'));

    // What fails because the database does: 500 with a stack, then 503.
    isReceiving = false;
    const late = await create({ customer_email: CUSTOMER });
    await stand.rows('ALTER TABLE payments RENAME TO payments_away');
    try {
      expect(await askForPages(late.token_id)).to.deep.equal([500, 500, 500, 500, 500]);
      expect((await ask('POST', '/v1/payment', { pay_amount: '1', order_id: 'o' })).status).to.equal(500);
      await ask('GET', `/v1/payment/${paid.id}`);
    } finally {
      await stand.rows('ALTER TABLE payments_away RENAME TO payments');
    }
    await stand.rows('ALTER TABLE deliveries RENAME TO deliveries_away');
    try {
      await until('a job fails', () => worker.output().includes('job failed'));
    } finally {
      await stand.rows('ALTER TABLE deliveries_away RENAME TO deliveries');
    }
    const trx = await stand.db.transaction();
    try {
      await trx.raw('LOCK TABLE payments IN ACCESS EXCLUSIVE MODE');
      expect(new Set(await askForPages(late.token_id))).to.deep.equal(new Set([503]));
      expect((await ask('POST', `/v1/payment/${paid.id}/refund`, { amount: '1' })).status).to.equal(503);
    } finally {
      await trx.rollback();
    }
    await settled(late.id);
    await until('deliveries fail', () => worker.output().includes('webhook attempt failed'));
    for (const service of [web, worker]) {
      service.signal('SIGTERM');
      expect(await service.ended()).to.equal(0);
    }

    const logs = `${web.output()}\n${worker.output()}`;
    // The run went where it should, or there would be nothing to find.
    for (const line of ['page failed', 'request failed', 'job failed', 'webhook attempt failed', '    at '])
      expect(logs).to.include(line);
    expect(written.filter((text) => / (500|503) /.test(text))).to.have.lengthOf.above(1);
    const everything = [...logs.split('\n'), ...written];
    const leaks = [...secrets].flatMap(([secret, what]) =>
      everything.filter((text) => text.includes(secret)).map((text) => `${what}: ${text}`),
    );
    expect(leaks).to.deep.equal([]);
  });
});
