import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { configure, deliveriesIn } from '../../support/deliveries.ts';
import { hiddenField, joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';

const EVIL = '<script>alert(1)</script>\n"><img src=x onerror=alert(2)>';

describe('the deliveries at the desk', () => {
  let harness: Harness;
  let receiver: Receiver;
  let status: number;
  let ann: DeskPerson;
  beforeEach(async () => {
    status = 200;
    harness = await createHarness();
    receiver = await startReceiver({ answer: () => ({ status, body: EVIL }) });
    await configure(harness, receiver.url);
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'developer' });
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });

  const page = (rest = '') => `/dashboard/${harness.merchant.id}/developers${rest}`;
  const pay = async (body?: object) => {
    const { id } = await createPayment(harness, body);
    await harness.work();
    return id;
  };
  const fail = () =>
    harness.ctx.db('deliveries').update({ status: 'failed', failed_because: 'retries_exhausted' });
  const acts = async () =>
    (await harness.ctx.db('operator_actions').where({ actor: ann.id }).orderBy('number').select('command'))
      .map(({ command }: { command: string }) => command)
      .filter((command) => command.startsWith('webhook'));

  it('with an id that no index holds are as missing as others', async () => {
    const long = randomBytes(3_000).toString('base64url');
    const { status: missing } = await ann.post(page(`/deliveries/${long}/redeliver`), {
      form: 'x'.repeat(32),
    });
    expect(missing).to.equal(404);
  });

  it('are listed newest first, and narrowed by every filter of the form', async () => {
    const first = await pay();
    harness.advance(1);
    status = 500;
    const second = await pay();
    const paymentsOf = async (query: string) => {
      const { status: found, text } = await ann.get(page(`/deliveries${query}`));
      expect(found, query).to.equal(200);
      const ids = [...text.matchAll(/<code>(dlv_\w+)<\/code>/g)].map(([, id]) => id);
      const rows = await deliveriesIn(harness);
      return ids.map((id) => rows.find((row) => row.id === id)?.payment_id);
    };
    expect(await paymentsOf('')).to.deep.equal([second, first]);
    expect(await paymentsOf('?status=delivered&type=&endpoint_id=&payment_id=')).to.deep.equal([first]);
    expect(await paymentsOf(`?payment_id=${second}`)).to.deep.equal([second]);
    expect(await paymentsOf('?type=checkout.settled')).to.deep.equal([]);
    expect(await paymentsOf('?from_date=2026-02-01')).to.deep.equal([]);
    expect((await ann.get(page('/deliveries?status=gone'))).status).to.equal(400);
    expect((await ann.get(page('/deliveries?payment_id=x'))).status).to.equal(400);
  });

  it('show what was sent and what the receiver answered, which no page takes for markup', async () => {
    await pay({ order_id: '<i>order</i>' });
    const [delivery] = await deliveriesIn(harness);
    const { text } = await ann.get(page(`/deliveries/${delivery?.id}`));
    expect(text).to.not.include('<script>').and.not.include('<img').and.not.include('<i>order');
    expect(text).to.include('&#60;script&#62;alert(1)&#60;/script&#62;&#10;').and.include('HTTP 200');
    expect(text).to.include('checkout.created').and.include(receiver.url);
  });

  for (const payload of ['full', 'thin'])
    it(`show what a receiver got, set apart for reading: ${payload}`, async () => {
      const url = `${receiver.url}/own`;
      const registered = await harness.api('post', '/v1/webhooks/endpoints').send({ url, payload });
      await pay({ order_id: 'order-77' });
      const { id } = registered.body as { id: string };
      const [own] = (await deliveriesIn(harness)).filter((row) => row.endpoint_id.endsWith(id));
      const request = receiver.requests.find(({ path }) => path.endsWith('/own'));
      const got = String(request?.rawBody);
      const { text } = await ann.get(page(`/deliveries/${own?.id}`));
      const block = /aria-label="What this endpoint is sent">([^]*?)<\/pre>/.exec(text)?.[1] ?? '';
      const shown = block.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
      expect(shown).to.not.equal(got);
      expect(JSON.stringify(JSON.parse(shown))).to.equal(got);
      expect(got.includes('order-77')).to.equal(payload === 'full');
      expect(text).to.include('the signed bytes have none');
    });

  it('are sent again, once by a form that is sent twice, which is written down', async () => {
    await pay();
    const [delivery] = await deliveriesIn(harness);
    const path = page(`/deliveries/${delivery?.id}`);
    const form = hiddenField((await ann.get(path)).text, 'form');
    for (let i = 0; i < 2; i += 1)
      expect((await ann.post(`${path}/redeliver`, { form })).location).to.equal(`${path}?said=sent`);
    await harness.work();
    expect(receiver.requests).to.have.lengthOf(2);
    expect(await acts()).to.deep.equal(['webhook redelivered']);
  });

  it('are not sent again while webhooks are paused, and the page says so', async () => {
    await pay();
    const [delivery] = await deliveriesIn(harness);
    await configure(harness, receiver.url, false);
    const answer = await ann.post(page(`/deliveries/${delivery?.id}/redeliver`));
    expect(answer.status).to.equal(400);
    expect(answer.text).to.include('Events are not sent');
    expect(await acts()).to.deep.equal([]);
  });

  it('are counted before a range of them is replayed, which changes nothing yet', async () => {
    for (let i = 0; i < 3; i += 1) await pay();
    await fail();
    const counted = await ann.get(page('/replay?from_date=2026-01-31&which=failed&endpoint_id=&to_date='));
    expect(counted.text).to.include('Deliveries: 3').and.include('Send 3 again');
    expect(receiver.requests).to.have.lengthOf(3);
    expect((await deliveriesIn(harness)).every((row) => row.status === 'failed')).to.equal(true);
    const fields = { from_date: '2026-01-31', which: 'failed', form: hiddenField(counted.text, 'form') };
    const { location = '' } = await ann.post(page('/replay'), fields);
    expect((await ann.get(location)).text).to.include('3 deliveries are sent again.');
    harness.advance(1);
    await harness.work();
    expect(receiver.requests).to.have.lengthOf(6);
    // Sent twice, the form does nothing more.
    expect((await ann.post(page('/replay'), fields)).location).to.equal(location);
    harness.advance(1);
    await harness.work();
    expect(receiver.requests).to.have.lengthOf(6);
    expect(await acts()).to.deep.equal(['webhooks replayed']);
  });

  it('are counted as many as are replayed, for each endpoint, of which one is switched off', async () => {
    const registered = await harness
      .api('post', '/v1/webhooks/endpoints')
      .send({ url: `${receiver.url}/own` });
    const { id } = registered.body as { id: string };
    for (let i = 0; i < 2; i += 1) await pay();
    const count = async (query: string) => {
      const { text } = await ann.get(page(`/replay?from_date=2026-01-31&${query}`));
      return /Deliveries: (\d+)/.exec(text)?.[1] ?? /There is nothing/.exec(text)?.[0];
    };
    expect(await count('which=all')).to.equal('4');
    expect(await count(`which=all&endpoint_id=${id}`)).to.equal('2');
    expect(await count('which=failed')).to.equal('There is nothing');
    await harness.ctx
      .db('webhook_endpoints')
      .where({ registration_id: id })
      .update({ disabled_at: harness.ctx.now(), disabled_reason: 'gone' });
    expect(await count('which=all')).to.equal('2');
    const { body } = await harness
      .api('post', '/v1/webhooks/redeliver')
      .send({ from_date: '2026-01-31', which: 'all' });
    expect(body).to.include({ count: 2, switched_off: 2 });
  });

  it('say what is wrong with a range', async () => {
    const other = await harness.addMerchant();
    const theirs = await harness
      .api('post', '/v1/webhooks/endpoints', other.apiKey)
      .send({ url: 'https://receiver.example' });
    for (const [query, expected] of [
      ['from_date=yesterday', 400],
      ['from_date=2026-02-02&to_date=2026-02-01', 400],
      ['from_date=2026-01-31&which=some', 400],
      [`from_date=2026-01-31&endpoint_id=${(theirs.body as { id: string }).id}`, 404],
    ] as const)
      expect((await ann.get(page(`/replay?${query}`))).status, query).to.equal(expected);
  });
});
