import { expect } from 'chai';
import winston from 'winston';
import { recordAction } from '../../../../src/domain/audit/record.ts';
import { measureMerchant } from '../../../../src/domain/ops/move/copy.ts';
import { lookupsOf } from '../../../../src/domain/ops/move/lookups.ts';
import { readMove } from '../../../../src/domain/ops/move/steps.ts';
import { forgetMerchant, takeBack } from '../../../../src/domain/ops/move/take-back.ts';
import { MERCHANT_TABLES } from '../../../../src/domain/ops/move/tables/tables.ts';
import { verify } from '../../../../src/domain/ops/verify/verify.ts';
import { SIMULATED_RATES } from '../../../../src/domain/chain/simulator/market.ts';
import { syncNetwork } from '../../../../src/domain/payments/sync/sync-network.ts';
import { lookupOf } from '../../../../src/platform/cells/moved.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { configure } from '../../../support/deliveries.ts';
import { untilFeedsAreWhole, walkFeed } from '../../../support/feed.ts';
import type { Harness } from '../../../support/harness.ts';
import { createMoveStand, type MoveStand } from '../../../support/move-stand.ts';
import { startReceiver, type Receiver } from '../../../support/receivers.ts';
import { selectMethodAt } from '../../../support/select-method.ts';
import { openShop, type Shop } from '../../../support/shop.ts';
import { refusal } from '../../../support/paused.ts';

describe('moving a merchant to another cell', function () {
  this.timeout(60_000);
  let stand: MoveStand;
  let shop: Shop;
  let receiver: Receiver;
  beforeEach(async () => {
    stand = await createMoveStand();
    receiver = await startReceiver();
    await configure(stand.source, receiver.url);
    shop = await openShop(stand.source);
  });
  afterEach(async () => {
    await receiver.close();
    await stand.close();
  });

  const sync = () => syncNetwork(stand.source.ctx, stand.source.adapters, 'ethereum');
  const mine = (blocks: number) => shop.chain.mine('ethereum', blocks, stand.source.ctx.now());
  /** A payment in each state that has work to come, and some that have ended. */
  const fill = async () => {
    const settled = await shop.create();
    await shop.pay(settled);
    await stand.source.work();
    await shop.mine(12);
    await shop.refund(settled, { amount: '1' });
    await stand.source.work();
    const [waiting, quoted, underpaid, pooled, confirming, processing] = [
      await shop.create(),
      await shop.create(),
      await shop.create(),
      await shop.create(),
      await shop.create(),
      await shop.create(),
    ];
    await selectMethodAt(stand.source, quoted, 'BTC', SIMULATED_RATES);
    await shop.pay(processing);
    await sync();
    await mine(12);
    await sync();
    await shop.pay(confirming);
    await shop.pay(underpaid, { amount: '1' });
    await mine(3);
    await sync();
    await shop.pay(pooled);
    await sync();
    return { settled, waiting, quoted, underpaid, pooled, confirming, processing };
  };
  const eventIds = () =>
    receiver.requests.map(({ rawBody }) => (JSON.parse(rawBody.toString()) as { id: string }).id);
  const isSound = async (harness: Harness) =>
    (await verify(harness.ctx, { since: null })).invariants
      .filter(({ offenders }) => offenders > 0)
      .map(({ name, examples }) => [name, examples]);

  it('leads to the target what clients have of it: keys, tokens, and the sets of public keys of each cell', async () => {
    const { merchant, ctx } = stand.source;
    const id = await shop.create();
    const payment = await ctx.db('payments').where({ id }).first<{ token_id: string }>('token_id');
    const lookups = await lookupsOf(ctx.db, merchant.id, ['a', 'b']);
    const sent = [
      merchant.apiKey,
      payment?.token_id ?? '',
      merchant.id,
      `a.${merchant.id}`,
      `b.${merchant.id}`,
    ];
    expect(lookups).to.include.members(sent.map(lookupOf));
  });

  it('goes on in the target with every payment, and tells each event once, in order', async () => {
    const ids = await fill();
    const { target, source } = stand;
    // Its simulated chain is at another height.
    await (await openShop(target)).mine(100);
    const before = await measureMerchant(source.ctx.db, source.merchant.id);
    const { step, rows } = await stand.move();
    expect(step).to.equal('arrived');
    // Events of payments that go on are copied early, and looked at again in the stop.
    const all = MERCHANT_TABLES.filter(({ isDerived }) => isDerived !== true);
    expect(rows).to.be.at.least(all.reduce((sum, { name }) => sum + (before[name]?.rows ?? 0), 0));
    expect(stand.switched).to.equal(1);
    expect(await isSound(target)).to.deep.equal([]);
    const there = await openShop(target, source.merchant);
    await target.work();
    await there.mine(9);
    const story = (id: string) => there.story(id);
    expect(await story(ids.confirming)).to.deep.equal([
      'created WAITING',
      'pending PENDING',
      'processing PROCESSING',
      'settled SETTLED',
    ]);
    expect((await story(ids.processing)).at(-1)).to.equal('settled SETTLED');
    expect((await story(ids.pooled)).at(-1)).to.equal('pending PENDING');
    await there.mine(12);
    expect((await story(ids.pooled)).at(-1)).to.equal('settled SETTLED');
    await there.pay(ids.waiting);
    await there.pay(ids.quoted);
    await target.work();
    await there.mine(12, 'ethereum');
    await there.mine(12, 'bitcoin');
    for (const id of [ids.waiting, ids.quoted]) expect((await story(id)).at(-1)).to.equal('settled SETTLED');
    target.advance(7_200);
    await target.work();
    expect((await story(ids.underpaid)).at(-1)).to.equal('failed EXPIRED');
    for (const id of Object.values(ids)) {
      const events = await there.events(id);
      expect(events.map(({ sequence }) => sequence)).to.deep.equal(events.map((_, place) => place + 1));
      const told = eventIds().filter((told) => events.some((event) => event.id === told));
      expect(told).to.deep.equal(events.map((event) => event.id));
    }
    expect(await isSound(target)).to.deep.equal([]);
  });

  it('refuses writes in the source for good, and nothing of others', async () => {
    const ids = await fill();
    const { source } = stand;
    const other = await openShop(source, await source.addMerchant());
    await stand.move();
    const body = { pay_amount: '10.50', order_id: 'order-2' };
    const refused = await source.api('post', '/v1/payment').send(body);
    expect(refused.status).to.equal(503);
    expect(refused.headers).to.have.property('retry-after');
    expect((await source.api('post', `/v1/payment/${ids.waiting}/cancel`).send({})).status).to.equal(503);
    const id = await other.create();
    await other.pay(id);
    await sync();
    await mine(12);
    // What the chain reports of the merchant that has moved is set aside, and logged.
    await syncNetwork(quiet(source.ctx), source.adapters, 'ethereum');
    expect((await other.story(id)).at(-1)).to.equal('processing PROCESSING');
  });

  it('keeps the order of the feed, where readers go on behind an event', async () => {
    await fill();
    const { source, target } = stand;
    await untilFeedsAreWhole(source.ctx.db);
    const { events } = await walkFeed(source.ctx.db, source.merchant.id);
    await stand.move();
    await untilFeedsAreWhole(target.ctx.db);
    const there = await walkFeed(target.ctx.db, source.merchant.id);
    expect(there.events.map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
    const third = events[2]?.id ?? '';
    const behind = await walkFeed(target.ctx.db, source.merchant.id, { after: third });
    expect(behind.events.map(({ id }) => id)).to.deep.equal(events.slice(3).map(({ id }) => id));
  });

  it('takes the audit log along, whose chain goes on', async () => {
    const { source, target } = stand;
    const entry = { kind: 'command', actor: 'a', address: null, command: 'keys', details: {} } as const;
    const write = (harness: Harness) =>
      recordAction(harness.ctx.db, { at: harness.ctx.now(), merchantId: source.merchant.id, ...entry });
    for (const harness of [source, source]) await write(harness);
    await stand.move();
    await write(target);
    const numbers = await target.ctx
      .db('operator_actions')
      .where({ merchant_id: source.merchant.id })
      .pluck('number');
    expect(numbers).to.have.members(['1', '2', '3']);
    expect(await isSound(target)).to.deep.equal([]);
  });

  it('answers a request again in the target, by its Idempotency-Key', async () => {
    const { source, target } = stand;
    const body = { pay_amount: '10.50', order_id: 'order-2' };
    const ask = (harness: Harness) =>
      harness.api('post', '/v1/payment', source.merchant.apiKey).set('Idempotency-Key', 'once').send(body);
    const first = await ask(source);
    await stand.move();
    const again = await ask(target);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
    expect(again.headers).to.have.property('idempotent-replayed', 'true');
  });

  it('leaves the merchant in the source where anything fails, and nothing in the target', async () => {
    const ids = await fill();
    const { source, target } = stand;
    const before = await measureMerchant(source.ctx.db, source.merchant.id);
    const empty = await measureMerchant(target.ctx.db, source.merchant.id);
    await target.ctx.db.raw('ALTER TABLE quotes ADD CHECK (false) NOT VALID');
    const error = await stand.move().catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error');
    expect(await measureMerchant(source.ctx.db, source.merchant.id)).to.deep.equal(before);
    expect(await measureMerchant(target.ctx.db, source.merchant.id)).to.deep.equal(empty);
    expect(await target.ctx.db('merchant_moves').select()).to.deep.equal([]);
    await shop.pay(ids.waiting);
    await source.work();
    await shop.mine(12);
    expect((await shop.story(ids.waiting)).at(-1)).to.equal('settled SETTLED');
    expect(await isSound(source)).to.deep.equal([]);
  });

  it('goes on behind its decision where a watcher has looked for a transaction meanwhile', async () => {
    const { waiting } = await fill();
    const { db } = stand.source.ctx;
    const awaited = { payment_id: waiting, network: 'ethereum', tx_hash: `0x${'ab'.repeat(32)}` };
    await db('awaited_transactions').insert(awaited);
    const interrupted = stand.move({ switchRoutes: () => Promise.reject(new Error('killed')) });
    expect(await refusal(interrupted)).to.equal('killed');
    await db.transaction(async (tx) => {
      await tx.raw(`SET LOCAL application_name = 'watcher 1'`);
      await tx('awaited_transactions').update({ looked_up_at: stand.source.ctx.now() });
    });
    expect((await stand.move()).step).to.equal('arrived');
  });

  it('leads to the target again where it was killed behind that, and not once the merchant may have moved on', async () => {
    const { source, target } = stand;
    const { db } = target.ctx;
    await db.raw('ALTER TABLE merchant_moves ADD CONSTRAINT killed CHECK (stopped_until IS NOT NULL)');
    expect(await refusal(stand.move())).to.include('killed');
    expect((await readMove(source.ctx.db, source.merchant.id))?.step).to.equal('switched');
    await db.raw('ALTER TABLE merchant_moves DROP CONSTRAINT killed');
    expect((await stand.move()).step).to.equal('arrived');
    expect(stand.switched).to.equal(2);
    await source.ctx.db('merchant_moves').update({ step: 'switched' });
    expect((await stand.move()).step).to.equal('arrived');
    expect(stand.switched).to.equal(2);
  });

  it('is taken back until it is decided, and not after', async () => {
    await fill();
    const { source, target } = stand;
    const ends = { source: source.ctx.db, target: target.ctx.db };
    await stand.move();
    const move = { merchantId: source.merchant.id, cell: 'b', run: 'another', now: source.ctx.now() };
    const error = await takeBack(ends, move).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('is in b already');
  });

  it('forgets the rows in the source, and refuses the keys there for good', async () => {
    await fill();
    const { source } = stand;
    await stand.move();
    await forgetMerchant(source.ctx.db, source.merchant.id, { knownMs: 0 });
    const left = await measureMerchant(source.ctx.db, source.merchant.id);
    const kept = Object.entries(left).filter(([, { rows }]) => rows > 0);
    expect(kept.map(([name]) => name)).to.deep.equal(['merchants', 'api_keys']);
    expect((await source.api('get', '/v1/payments')).status).to.equal(503);
    expect(await isSound(source)).to.deep.equal([]);
    const { rows } = await source.ctx.db.raw<{ rows: unknown[] }>(
      `SELECT FROM pg_trigger WHERE tgname LIKE 'moving %'`,
    );
    expect(rows).to.deep.equal([]);
  });

  it('comes back to where it was', async () => {
    await fill();
    const { source, target } = stand;
    const first = await shop.create();
    await stand.move();
    await forgetMerchant(source.ctx.db, source.merchant.id, { knownMs: 0 });
    expect((await stand.moveBack()).step).to.equal('arrived');
    await forgetMerchant(target.ctx.db, source.merchant.id, { knownMs: 0 });
    await shop.pay(first);
    await source.work();
    await shop.mine(12);
    expect((await shop.story(first)).at(-1)).to.equal('settled SETTLED');
  });
});

const quiet = (ctx: Context): Context => ({ ...ctx, log: winston.createLogger({ silent: true }) });
