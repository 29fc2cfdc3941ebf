import { expect } from 'chai';
import { startPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts';
import { until } from '../support/until.ts';
import { createStand, type Stand, type Web } from './stand.ts';

const REQUESTS = 40;

interface Created {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
}

describe('a web process that is killed between the commit of a batch and its responses', () => {
  let stand: Stand;
  let proxy: PostgresProxy;
  before(async () => {
    stand = await createStand();
    proxy = await startPostgresProxy(String(stand.env.DATABASE_URL));
  });
  after(async () => {
    await stand.close();
    await proxy.close();
  });

  const create = async ({ port }: Web, n: number): Promise<Created> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/payment`, {
      method: 'POST',
      headers: {
        'X-API-Key': stand.merchant.apiKey,
        'Content-Type': 'application/json',
        'Idempotency-Key': `key-${n}`,
      },
      body: JSON.stringify({ pay_amount: '10.50', order_id: `order-${n}` }),
    });
    const text = await response.text();
    return { status: response.status, text, isReplay: response.headers.has('idempotent-replayed') };
  };
  const createAll = (web: Web) =>
    Promise.all(
      Array.from({ length: REQUESTS }, (_, n) =>
        create(web, n).catch(() => ({ status: 0, text: '', isReplay: false })),
      ),
    );
  /** A client repeats what a busy service answers with 503, and has not stored, under its key. */
  const createAllAtLast = (web: Web) =>
    Promise.all(
      Array.from({ length: REQUESTS }, async (_, n) => {
        let created = await create(web, n);
        await until(`order ${n} is answered`, async () => {
          if (created.status === 503) created = await create(web, n);
          return created.status !== 503;
        });
        return created;
      }),
    );
  const idOf = ({ text }: Created) => (JSON.parse(text) as { id: string }).id;
  const stored = async () =>
    new Map(
      (await stand.rows<{ order_id: string; id: string }>('SELECT order_id, id FROM payments')).map((row) => [
        row.order_id,
        row.id,
      ]),
    );

  it('leaves payments that each key replays: none is lost, doubled, or without what belongs to it', async () => {
    let unheard: readonly string[] = [];
    proxy.withholdAt((sent) => {
      const orders = new Set([...sent.matchAll(/"order_id":"(order-\d+)"/g)].map(([, order = '']) => order));
      if (orders.size > 1) unheard = [...orders];
      return orders.size > 1;
    });
    const first = await stand.startWeb({ DATABASE_URL: proxy.url });
    const answered = createAll(first);
    await until('the batch is committed', async () => {
      const there = await stored();
      return unheard.length > 0 && unheard.every((order) => there.has(order));
    });
    first.signal('SIGKILL');
    expect(await first.ended()).to.equal('SIGKILL');
    const before = await answered;
    const committed = await stored();
    expect(unheard.length).to.be.greaterThan(1);
    for (const order of unheard) expect(before[Number(order.slice(6))]?.status, order).to.not.equal(201);

    const second = await stand.startWeb();
    const again = await createAllAtLast(second);
    for (const [n, created] of again.entries()) {
      const [known, earlier] = [committed.get(`order-${n}`), before[n]];
      expect(created.status, created.text).to.equal(201);
      expect(created.isReplay).to.equal(known !== undefined);
      if (known !== undefined) expect(idOf(created)).to.equal(known);
      if (earlier?.status === 201) expect(created.text).to.equal(earlier.text);
    }
    expect((await createAllAtLast(second)).map(({ text }) => text)).to.deep.equal(
      again.map(({ text }) => text),
    );
    expect([...(await stored()).values()].toSorted()).to.deep.equal(again.map(idOf).toSorted());
    const owned = await stand.rows<object>(
      `SELECT DISTINCT (SELECT count(*)::int FROM quotes WHERE payment_id = p.id) AS quotes,
         (SELECT count(*)::int FROM events WHERE payment_id = p.id) AS events,
         (SELECT count(*)::int FROM scheduled_jobs WHERE key = p.id) AS expiries,
         (SELECT count(*)::int FROM scheduled_jobs j JOIN events e ON e.id = j.key
          WHERE e.payment_id = p.id) AS dispatches
       FROM payments p`,
    );
    expect(owned).to.deep.equal([{ quotes: 1, events: 1, expiries: 1, dispatches: 1 }]);
  });
});
