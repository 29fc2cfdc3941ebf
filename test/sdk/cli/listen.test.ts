import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { verifyWebhook } from '../../../src/sdk/index.ts';
import { openCommandLine, type CommandLine, type Going } from '../../support/command-line.ts';
import { configure } from '../../support/deliveries.ts';
import { createHarness, type Harness, type TestMerchant } from '../../support/harness.ts';
import { createPayment, listen, type Listening } from '../../support/http.ts';
import { startReceiver, type Answer, type ReceivedRequest, type Receiver } from '../../support/receivers.ts';
import { until } from '../../support/until.ts';

interface Event {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly checkout: { readonly id: string } };
}
const eventOf = ({ rawBody }: ReceivedRequest) => JSON.parse(rawBody.toString()) as Event;
const idOf = (request: ReceivedRequest) => eventOf(request).id;

describe('payment-checkout listen', () => {
  let harness: Harness;
  let service: Listening;
  let merchant: TestMerchant;
  let line: CommandLine;
  let receiver: Receiver;
  let answer: Answer;
  const going: Going[] = [];
  before(async () => {
    harness = await createHarness();
    service = await listen(harness.app);
  });
  beforeEach(async () => {
    merchant = await harness.addMerchant();
    answer = {};
    receiver = await startReceiver({ answer: () => answer });
    line = openCommandLine(() => ({
      PAYMENT_CHECKOUT_KEY: merchant.apiKey,
      PAYMENT_CHECKOUT_URL: service.url,
    }));
  });
  afterEach(async () => {
    for (const one of going.splice(0)) await one.end();
    await receiver.close();
    await line.close();
  });
  after(async () => {
    await service.close();
    await harness.close();
  });

  /** Starts a listener, and waits until it follows the feed. */
  const start = async (...more: string[]): Promise<Going> => {
    const one = line.start(['listen', '--forward-to', receiver.url, ...more]);
    going.push(one);
    await Promise.race([until('it listens', () => one.stderr().includes('Ctrl-C')), one.ended]);
    return one;
  };
  /** Ends a listener once it has noted that the receiver took `count` events. */
  const endAfter = async (listener: Going, count: number) => {
    await until('it prints', () => listener.stdout().split('200 in').length > count);
    await listener.end();
  };
  const create = (fields: object = {}) => createPayment(harness, fields, merchant.apiKey);
  const eventsOf = async (...paymentIds: string[]): Promise<string[]> => {
    const { body } = await harness.api('get', '/v1/events?limit=100', merchant.apiKey).expect(200);
    const all = (body as { data: Event[] }).data;
    return all.filter(({ data }) => paymentIds.includes(data.checkout.id)).map(({ id }) => id);
  };
  const call = (...args: string[]) => line.run(args);
  const forwarded = () => receiver.requests.map(idOf);
  const states = () => join(line.home, '.local/state/payment-checkout');

  it('forwards what comes, signed, with the bytes and the headers of a webhook', async () => {
    const webhooks = await startReceiver();
    await configure({ ...harness, merchant }, webhooks.url);
    const listener = await start('--show-secret');
    const { id } = await create({ metadata: { 10: 'é 漢字 €', 2: '\u2028"\\', __proto: 'x' } });
    await harness.work();
    const [[local], [sent]] = await Promise.all([receiver.waitFor(1), webhooks.waitFor(1)]);
    if (local === undefined || sent === undefined) expect.fail('nothing came');
    expect(local.rawBody.equals(sent.rawBody)).to.equal(true);
    const named = (request: ReceivedRequest) =>
      Object.keys(request.headers).filter((name) => name.includes('webhook') || name === 'content-type');
    expect(named(local)).to.have.members(named(sent)).and.have.lengthOf(6);
    const [secret = ''] = /whsec_\S+/.exec(listener.stderr()) ?? [];
    const { rawBody, headers } = local;
    expect(verifyWebhook({ rawBody, headers, secrets: secret })).to.include({ ok: true });
    expect(listener.stdout()).to.match(new RegExp(`checkout.created +${id} {2}1 {2}200 in \\d+ ms`));
    await webhooks.close();
  });

  it('begins with what comes after its start, unless --from-start or --since says otherwise', async () => {
    const old = await create();
    harness.advance(3_600);
    const since = harness.ctx.now().toISOString();
    const young = await create();
    await (await start()).end();
    expect(receiver.requests).to.have.lengthOf(0);
    await start('--since', since);
    await receiver.waitFor(1);
    expect(forwarded()).to.deep.equal(await eventsOf(young.id));
    await start('--from-start');
    await receiver.waitFor(3);
    expect(forwarded().slice(1)).to.deep.equal(await eventsOf(old.id, young.id));
  });

  it('goes on where it stopped, with what came meanwhile, and nothing twice', async () => {
    const first = await start();
    const ids = [(await create()).id];
    await endAfter(first, 1);
    for (let n = 0; n < 3; n += 1) ids.push((await create()).id);
    await start();
    await receiver.waitFor(4);
    ids.push((await create()).id);
    await receiver.waitFor(5);
    expect(forwarded()).to.deep.equal(await eventsOf(...ids));
  });

  it('keeps a place for each receiver', async () => {
    const other = await startReceiver();
    await (await start()).end();
    const { id } = await create();
    const second = line.start(['listen', '--forward-to', other.url]);
    await until('it listens', () => second.stderr().includes('Ctrl-C'));
    await second.end();
    await start();
    await receiver.waitFor(1);
    expect(forwarded()).to.deep.equal(await eventsOf(id));
    expect(other.requests).to.have.lengthOf(0);
    await other.close();
  });

  it('waits for a receiver that is down, and then forwards every event in order', async () => {
    answer = { status: 503 };
    const listener = await start();
    const { id } = await create();
    await line.run(['trigger', 'paid']);
    await receiver.waitFor(4);
    expect(new Set(forwarded()).size).to.equal(1);
    expect(line.waits.filter((ms) => ms !== 1_500).slice(0, 4)).to.deep.equal([500, 1_000, 2_000, 4_000]);
    expect(listener.stdout()).to.include('answered 503');
    answer = {};
    await until('all came', () => receiver.requests.some((one) => eventOf(one).type === 'checkout.settled'));
    const taken = [...new Set(forwarded())];
    const payments = [...new Set(receiver.requests.map((one) => eventOf(one).data.checkout.id))];
    expect(payments[0]).to.equal(id);
    expect(taken).to.deep.equal(await eventsOf(...payments));
  });

  it('goes on where it stopped with an event that no receiver took', async () => {
    const listener = await start();
    await create();
    await until('it prints', () => listener.stdout().includes('200 in'));
    answer = { status: 500 };
    const { id } = await create();
    await receiver.waitFor(2);
    await listener.end();
    answer = {};
    const begin = receiver.requests.length;
    await start();
    await receiver.waitFor(begin + 1);
    expect(forwarded().slice(begin)).to.deep.equal(await eventsOf(id));
  });

  it('passes over an event after the attempts of --skip-after', async () => {
    answer = { status: 500 };
    const listener = await start('--skip-after', '2');
    const ids = [(await create()).id, (await create()).id];
    await receiver.waitFor(4);
    const [one, two] = await eventsOf(...ids);
    expect(forwarded()).to.deep.equal([one, one, two, two]);
    await until('it says so', () => listener.stdout().split('skipped').length === 3);
  });

  it('does not follow a redirect, which would lose the body', async () => {
    answer = { status: 307, headers: { Location: '/elsewhere' } };
    await start('--skip-after', '1');
    await create();
    const [request] = await receiver.waitFor(1);
    expect(request?.path).to.equal('/hooks');
  });

  it('forwards only the types that are wanted', async () => {
    await start('--type', 'checkout.settled,checkout.refunded');
    await create();
    await line.run(['trigger', 'refunded-in-full']);
    await receiver.waitFor(2);
    expect(receiver.requests.map((one) => eventOf(one).type)).to.deep.equal([
      'checkout.settled',
      'checkout.refunded',
    ]);
  });

  describe('a redelivery', () => {
    it('reaches it, as it does the receiver of webhooks', async () => {
      const webhooks = await startReceiver();
      await configure({ ...harness, merchant }, webhooks.url);
      const listener = await start();
      const { id } = await create();
      await harness.work();
      await receiver.waitFor(1);
      const [event = ''] = await eventsOf(id);
      expect(await call('webhooks', 'redeliver', event)).to.include({ code: 0 });
      await receiver.waitFor(2);
      await harness.work();
      await webhooks.waitFor(2);
      expect(forwarded()).to.deep.equal([event, event]);
      await until('it says so', () => listener.stdout().includes('redelivery'));
      await webhooks.close();
    });

    it('reaches it where webhooks are off, while it was away, once, and in the order of the requests', async () => {
      const listener = await start();
      const payments = [(await create()).id, (await create()).id];
      await harness.work();
      await endAfter(listener, 2);
      const [one = '', two = ''] = await eventsOf(...payments);
      for (const event of [two, one]) {
        const { code, stdout, stderr } = await call('webhooks', 'redeliver', event);
        expect(code).to.equal(0);
        expect(stdout).to.match(/^to +listeners$/m);
        expect(stderr).to.include('Webhooks are disabled');
      }
      const again = await start();
      await endAfter(again, 2);
      await start();
      await create();
      await receiver.waitFor(5);
      expect(forwarded().slice(0, 4)).to.deep.equal([one, two, two, one]);
    });

    it('of a range reaches it in order', async () => {
      const webhooks = await startReceiver();
      await configure({ ...harness, merchant }, webhooks.url);
      const from = harness.ctx.now().toISOString();
      await start();
      const ids = [];
      for (let n = 0; n < 3; n += 1) {
        harness.advance(1);
        ids.push((await create()).id);
      }
      await harness.work();
      await receiver.waitFor(3);
      const { code, stderr } = await call('webhooks', 'redeliver', '--from-date', from, '--which', 'all');
      expect(code, stderr).to.equal(0);
      await receiver.waitFor(6);
      const events = await eventsOf(...ids);
      expect(forwarded()).to.deep.equal([...events, ...events]);
      await webhooks.close();
    });

    it('from before its first start is not forwarded', async () => {
      const { id } = await create();
      await harness.work();
      const [event = ''] = await eventsOf(id);
      await call('webhooks', 'redeliver', event, '--to', 'listeners');
      await start();
      const later = await create();
      await receiver.waitFor(1);
      expect(forwarded()).to.deep.equal(await eventsOf(later.id));
    });
  });

  it('signs with a secret of this machine, which it shows once and keeps, or with those of the merchant', async () => {
    const first = await start();
    expect(first.stderr()).to.match(/whsec_/);
    await first.end();
    const second = await start();
    expect(second.stderr()).to.not.match(/whsec_/);
    await second.end();
    const path = join(line.home, '.config/payment-checkout/listen-secret');
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    expect(first.stderr()).to.include(readFileSync(path, 'utf8').trim());
    await start('--sign-with', 'merchant');
    await create();
    const [request] = await receiver.waitFor(1);
    const { rawBody = '', headers = {} } = request ?? {};
    expect(verifyWebhook({ rawBody, headers, secrets: merchant.webhookSecret })).to.include({ ok: true });
  });

  it('prints one line of JSON for each attempt with --json', async () => {
    answer = { status: 500 };
    const listener = await start('--json', '--skip-after', '1');
    const { id } = await create();
    await receiver.waitFor(1);
    await until('it prints', () => listener.stdout().endsWith('\n'));
    expect(JSON.parse(listener.stdout())).to.deep.include({
      type: 'checkout.created',
      payment_id: id,
      sequence: 1,
      attempt: 1,
      status: 500,
      error: 'answered 500',
      redelivery: false,
      skipped: true,
    });
  });

  it('enters the feed again behind what it forwarded, where the service does not know its cursor', async () => {
    const listener = await start();
    const { id } = await create();
    await endAfter(listener, 1);
    const [file = ''] = readdirSync(states());
    const path = join(states(), file);
    const lost = {
      ...JSON.parse(readFileSync(path, 'utf8')),
      after: 'bm90.b25l',
      redeliveriesAfter: 'bm90.b25l',
    };
    writeFileSync(path, JSON.stringify({ ...lost, done: [] }));
    await start();
    const later = await create();
    await receiver.waitFor(2);
    expect(forwarded()).to.deep.equal(await eventsOf(id, later.id));
    for (const one of going.splice(0)) await one.end();
    writeFileSync(path, JSON.stringify({ ...lost, newest: [] }));
    const { code, stderr } = await line.run(['listen', '--forward-to', receiver.url]);
    expect(code).to.equal(1);
    expect(stderr).to.include('--since or --from-start');
  });

  it('needs no permission but to read payments', async () => {
    merchant = await harness.addMerchant({ permissions: ['payments:read', 'payments:write'] });
    await create();
    await start();
    const { id } = await create();
    await receiver.waitFor(1);
    expect(forwarded()).to.deep.equal(await eventsOf(id));
  });
});
