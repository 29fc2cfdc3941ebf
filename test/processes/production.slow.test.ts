import { once } from 'node:events';
import { expect } from 'chai';
import { startReceiver, type Answer, type Receiver } from '../support/receivers.ts';
import { ENGINES } from '../support/engines.ts';
import { until } from '../support/until.ts';
import { endAll, startProcess } from './service.ts';
import { createStand, type Stand, type Web } from './stand.ts';

const STORY = ['checkout.created', 'checkout.pending', 'checkout.processing', 'checkout.settled'];

/** What the tests look at in an event as it arrived. */
interface Arrived {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly checkout: { readonly id: string } };
}

const FREE_ENDPOINTS = 'UPDATE webhook_endpoints SET leased_by = NULL, leased_until = NULL';

for (const engine of ENGINES)
  describe(`web and workers in production, queues on ${engine.name}`, function () {
    this.timeout(90_000);
    let stand: Stand;
    const receivers: Receiver[] = [];
    before(async () => {
      stand = await createStand(await engine.env());
    });
    afterEach(async () => {
      await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
      await endAll();
    });
    after(() => stand.close());

    it('two webs and two workers bring each payment to its end, and deliver each event', async () => {
      const [webs, workers] = await Promise.all([
        Promise.all([stand.startWeb(), stand.startWeb()]),
        Promise.all([stand.startWorker(), stand.startWorker()]),
      ]);
      const receiver = await receive(webs[0]);
      const ids = await Promise.all(
        Array.from({ length: 12 }, (_, i) => createPayment(webs[i % 2 === 0 ? 0 : 1])),
      );
      const arrived = await waitForEvents(receiver, ids, STORY.length);
      for (const id of ids)
        expect(storyOf(arrived, id), id).to.deep.equal(STORY.map((type, i) => `${i + 1} ${type}`));
      const seen = await webs[1].api('GET', `/v1/payment/${ids[0]}`);
      expect(await seen.json()).to.include({
        status: 'SETTLED',
        actually_paid: '10.50',
        actually_paid_currency: 'USDC',
      });
      for (const service of [...webs, ...workers]) service.signal('SIGTERM');
      const ends = await Promise.all([...webs, ...workers].map((service) => service.ended()));
      expect(ends).to.deep.equal([0, 0, 0, 0]);
    });

    it('a worker that is told to end lets its deliveries end, and another one does the rest', async () => {
      const gate = new Gate();
      const [web, worker] = await Promise.all([stand.startWeb(), stand.startWorker()]);
      const receiver = await receive(web, () => gate.pass());
      const ids = await Promise.all(Array.from({ length: 3 }, () => createPayment(web)));
      await receiver.waitFor(3);
      worker.signal('SIGTERM');
      await worker.says('"draining"');
      gate.open();
      expect(await worker.ended()).to.equal(0);
      const begun = receiver.requests.map(({ headers }) => headers['webhook-id']);
      const recorded = await stand.rows<{ id: string }>(
        `SELECT e.id FROM events e JOIN deliveries d ON d.event_id = e.id
         WHERE e.id = ANY (?) AND d.status = 'delivered' AND d.attempts = 1`,
        [begun],
      );
      expect(recorded, 'what had begun was recorded').to.have.lengthOf(begun.length);

      await stand.startWorker();
      const arrived = await waitForEvents(receiver, ids, STORY.length);
      expect(arrived, 'nothing was sent twice').to.have.lengthOf(ids.length * STORY.length);
    });

    it('the work of a worker that is killed is finished by another one, under the same event ids', async () => {
      const [web, doomed] = await Promise.all([stand.startWeb(), stand.startWorker()]);
      const gate = new Gate();
      const receiver = await receive(web, () => gate.pass());
      const ids = await Promise.all(Array.from({ length: 3 }, () => createPayment(web)));
      await receiver.waitFor(3);
      doomed.signal('SIGKILL');
      expect(await doomed.ended()).to.equal('SIGKILL');
      expect(await doomed.health(), 'its health check').to.equal(1);
      gate.open();
      // As if the leases of what it had taken were over: 30 s of due work, 25 s of a delivery.
      await stand.rows(`UPDATE scheduled_jobs SET visible_at = least(visible_at, now())`);
      await stand.rows(FREE_ENDPOINTS);

      await stand.startWorker();
      const arrived = await waitForEvents(receiver, ids, STORY.length);
      for (const id of ids)
        expect(storyOf(arrived, id), id).to.have.members(STORY.map((type, i) => `${i + 1} ${type}`));
    });

    /** Lets the merchant's events come here; earlier receivers get no more. */
    async function receive(web: Web, answer?: () => Promise<Answer>): Promise<Receiver> {
      const receiver = await startReceiver(answer === undefined ? {} : { answer });
      receivers.push(receiver);
      // The end of a test kills its workers: as if what they held of the endpoint were over.
      await stand.rows(FREE_ENDPOINTS);
      const config = { webhookUrl: receiver.url, enabled: true };
      const configured = await web.api('PUT', '/v1/webhooks/config', config);
      expect(configured.status, web.output()).to.equal(200);
      return receiver;
    }
  });

describe('the health check of a worker', function () {
  this.timeout(60_000);
  let stand: Stand;
  before(async () => {
    stand = await createStand();
  });
  after(() => stand.close());

  it('is 0 while it works, and 1 when it is wedged or gone', async () => {
    const worker = await stand.startWorker();
    await until('it gives a sign', async () => (await worker.health()) === 0);
    worker.signal('SIGSTOP');
    worker.age(31);
    expect(await worker.health(), 'silent for 31 s').to.equal(1);
    worker.signal('SIGCONT');
    worker.signal('SIGTERM');
    expect(await worker.ended()).to.equal(0);
    expect(await worker.health(), 'ended').to.equal(1);
  });

  it('is that of each worker alone where several share a folder', async () => {
    const { folder: TMPDIR, ...first } = await stand.startWorker();
    const second = await stand.startWorker({ TMPDIR });
    const health = (...args: string[]) =>
      startProcess('worker-health', { ...stand.env, TMPDIR }, args).ended();
    await until('both give a sign', async () => (await health()) === 0);
    first.signal('SIGKILL');
    await first.ended();
    expect(await health(), 'one of them was killed').to.equal(1);
    expect(await health(String(first.pid))).to.equal(1);
    expect(await health(String(second.pid))).to.equal(0);
    const third = await stand.startWorker({ TMPDIR });
    await until('its follower gives a sign', async () => (await health(String(third.pid))) === 0);
    expect(await health(), 'the killed one is forgotten').to.equal(0);
  });
});

async function createPayment(web: Web): Promise<string> {
  const answer = await web.api('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'o1' });
  expect(answer.status, web.output()).to.equal(201);
  return ((await answer.json()) as { id: string }).id;
}

/** Every event that arrived of these payments, once there are `count` different ones of each. */
async function waitForEvents(receiver: Receiver, ids: readonly string[], count: number): Promise<Arrived[]> {
  const arrived = () =>
    receiver.requests
      .map(({ rawBody }) => JSON.parse(rawBody.toString()) as Arrived)
      .filter((event) => ids.includes(event.data.checkout.id));
  await until(
    `${ids.length * count} different events arrive`,
    () => new Set(arrived().map(({ id }) => id)).size >= ids.length * count,
    60_000,
  );
  return arrived();
}

/** The different events of a payment, in their order. */
function storyOf(arrived: readonly Arrived[], paymentId: string): string[] {
  const ofPayment = arrived.filter(({ data }) => data.checkout.id === paymentId);
  const different = new Map(ofPayment.map((event) => [event.id, event]));
  return [...different.values()]
    .toSorted((a, b) => a.sequence - b.sequence)
    .map(({ sequence, type }) => `${sequence} ${type}`);
}

/** Holds answers back until it opens. */
class Gate {
  readonly #opened = new EventTarget();
  #isOpen = false;

  async pass(): Promise<Answer> {
    if (!this.#isOpen) await once(this.#opened, 'open');
    return { status: 200 };
  }

  open(): void {
    this.#isOpen = true;
    this.#opened.dispatchEvent(new Event('open'));
  }
}
