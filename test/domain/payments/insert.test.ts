import { expect } from 'chai';
import { createPayment } from '../../../src/domain/payments/create.ts';
import { hashBody } from '../../../src/domain/idempotency/claim.ts';
import type { CreatePaymentBody } from '../../../src/domain/payments/schemas.ts';
import type { IdempotencyClaim, Reply } from '../../../src/domain/api/endpoint.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { recordQueries } from '../../support/statements.ts';

const ORDER: CreatePaymentBody = { pay_amount: '10.50', order_id: 'order-1' };

describe('payments that are created at the same moment', () => {
  let harness: Harness;
  let shop: Shop;
  beforeEach(async () => {
    harness = await createHarness();
    shop = await openShop(harness);
  });
  afterEach(() => harness.close());

  const create = (body: CreatePaymentBody, key: string | null = null) => {
    const claim: IdempotencyClaim | null =
      key === null
        ? null
        : {
            merchantId: shop.caller.merchantId,
            method: 'POST',
            path: '/v1/payment',
            key,
            bodyHash: hashBody(body),
          };
    return createPayment(harness.ctx, harness.adapters, shop.caller, body, claim);
  };
  const idOf = ({ text }: Reply) => (JSON.parse(text) as { id: string }).id;
  const counts = async () => {
    const { rows } = await harness.ctx.db.raw<{ rows: Record<string, number>[] }>(
      `SELECT (SELECT count(*)::int FROM payments) AS payments, (SELECT count(*)::int FROM quotes) AS quotes,
         (SELECT count(*)::int FROM events) AS events,
         (SELECT count(*)::int FROM idempotency_keys) AS claims`,
    );
    return rows[0];
  };

  it('share a statement', async () => {
    let replies: Reply[] = [];
    const queries = await recordQueries(async () => {
      replies = await Promise.all(Array.from({ length: 50 }, (_, n) => create(ORDER, `key-${n}`)));
    });
    expect(queries).to.have.length(1);
    expect(new Set(replies.map(idOf)).size).to.equal(50);
    expect(await counts()).to.deep.equal({ payments: 50, quotes: 50, events: 50, claims: 50 });
    for (const reply of replies) expect(await shop.story(idOf(reply))).to.deep.equal(['created WAITING']);
  });

  it('have their own outcomes: one key creates one payment, and another body of it is a conflict', async () => {
    const others = await Promise.allSettled([
      create(ORDER),
      create(ORDER, 'same'),
      create(ORDER, 'same'),
      create(ORDER),
      create({ ...ORDER, pay_amount: '11.00' }, 'same'),
      create(ORDER, 'same'),
    ]);
    const ids = others.map((one) => (one.status === 'fulfilled' ? idOf(one.value) : 'conflict'));
    expect(ids[4]).to.equal('conflict');
    expect(new Set([ids[1], ids[2], ids[5]]).size, 'one payment for the key').to.equal(1);
    expect(new Set(ids).size).to.equal(4);
    expect(await counts()).to.deep.equal({ payments: 3, quotes: 3, events: 3, claims: 1 });
  });

  it('fail alone where Postgres refuses one of them', async () => {
    const refused = Symbol('refused');
    const [, bad, good] = await Promise.all([
      create(ORDER),
      // A NUL, which no schema lets pass, is refused by Postgres.
      create({ ...ORDER, order_id: '\0' }, 'bad').catch(() => refused),
      create(ORDER, 'good'),
    ]);
    expect(bad).to.equal(refused);
    expect(idOf(good)).to.match(/^pay_/);
    expect(await counts()).to.deep.equal({ payments: 2, quotes: 2, events: 2, claims: 1 });
  });
});
