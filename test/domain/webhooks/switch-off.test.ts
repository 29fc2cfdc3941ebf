import { expect } from 'chai';
import { deliverDue } from '../../../src/domain/webhooks/deliver.ts';
import {
  configure,
  deliveriesIn,
  endpointIn,
  fanOutPayments,
  startHoldingReceiver,
  type HoldingReceiver,
} from '../../support/deliveries.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { until } from '../../support/until.ts';
import { createWorld, type World } from '../../support/world.ts';

const DAY = 86_400;
const OFF = { status: 'failed', failed_because: 'endpoint_switched_off', next_attempt_at: null };

describe('switching an endpoint off', () => {
  let world: World;
  let shop: Shop;
  let receiver: HoldingReceiver;
  beforeEach(async () => {
    world = await createWorld();
    shop = await openShop(world);
    await world.work();
    receiver = await startHoldingReceiver();
    await configure(world, receiver.url);
  });
  afterEach(async () => {
    await receiver.close();
    await world.close();
  });

  const send = (endpointId = world.merchant.id) => deliverDue(world.ctx, world.exchange, endpointId);
  const config = async () => (await world.api('get', '/v1/webhooks/config').expect(200)).body;
  const switchOn = () =>
    world.api('put', '/v1/webhooks/config').send({ webhookUrl: receiver.url, enabled: true }).expect(200);
  const answerAll = (status: number) => {
    receiver.status = status;
    receiver.open();
  };

  it('410 does so at once: nothing more is sent, what waits has failed, and GET config says so', async () => {
    answerAll(410);
    await fanOutPayments(world, shop, 9);
    await send();
    expect(receiver.requests.length).to.be.within(1, 4);
    for (const delivery of await deliveriesIn(world)) expect(delivery).to.include(OFF);
    const now = world.ctx.now().toISOString();
    const { health, enabled } = await config();
    expect(enabled).to.equal(false);
    expect(health).to.deep.equal({
      state: 'switched_off',
      lastSuccessAt: null,
      lastFailureAt: now,
      failureRate: 1,
      switchedOffAt: now,
      switchedOffBecause: 'gone',
    });
    world.advance(DAY);
    await world.work();
    expect(receiver.requests.length).to.be.lessThan(5);
  });

  it('what was in the air then is recorded: a success has delivered, and each attempt is in the log', async () => {
    await fanOutPayments(world, shop, 3);
    const sending = send();
    await until('three requests wait', () => receiver.held === 3);
    receiver.status = 410;
    receiver.release(1);
    await until('it is off', async () => (await endpointIn(world)).switched_off_at !== null);
    receiver.status = 200;
    receiver.release(1);
    await until('one is delivered', async () =>
      (await deliveriesIn(world)).some(({ status }) => status === 'delivered'),
    );
    receiver.status = 500;
    receiver.release(1);
    await sending;
    const rows = await deliveriesIn(world);
    expect(rows.map(({ attempts }) => attempts)).to.deep.equal([1, 1, 1]);
    expect(rows.filter(({ status }) => status === 'delivered')).to.have.length(1);
    expect(rows.filter(({ failed_because }) => failed_because === OFF.failed_because)).to.have.length(2);
  });

  it('five days of nothing but failure do so, and not a moment less', async () => {
    answerAll(500);
    const { now } = world.ctx;
    const failAgain = async () => {
      await fanOutPayments(world, shop, 1);
      await send();
    };
    await failAgain();
    const since = now().getTime();
    world.advance(4 * DAY);
    await failAgain();
    world.advance((since + 5 * DAY * 1000 - 1 - now().getTime()) / 1000 - 1);
    await failAgain();
    expect((await config()).health).to.include({ state: 'failing', switchedOffAt: null });
    world.advance(0.001);
    await failAgain();
    expect((await config()).health).to.include({ state: 'switched_off', switchedOffBecause: 'failing' });
  });

  it('a single success begins the five days anew', async () => {
    answerAll(500);
    await fanOutPayments(world, shop, 1);
    await send();
    world.advance(4 * DAY);
    receiver.status = 200;
    await send();
    const lastSuccessAt = world.ctx.now().toISOString();
    expect((await config()).health).to.include({ state: 'healthy', lastSuccessAt });
    receiver.status = 500;
    world.advance(2 * DAY);
    await fanOutPayments(world, shop, 1);
    await send();
    expect((await config()).health).to.include({ state: 'failing', lastSuccessAt });
  });

  it('PUT switches it on again, and what was missed meanwhile is replayed when it is asked for', async () => {
    const from = world.ctx.now().toISOString();
    answerAll(410);
    await fanOutPayments(world, shop, 2);
    await send();
    for (let made = 0; made < 3; made += 1) await shop.create();
    await world.work();
    expect(await deliveriesIn(world), 'events are recorded only').to.have.length(2);
    await world.api('post', '/v1/webhooks/redeliver').send({ from_date: from }).expect(409);

    receiver.status = 200;
    const { body } = await switchOn();
    expect(Object.keys(body)).to.deep.equal(['webhookUrl', 'enabled', 'updatedAt']);
    const on = await config();
    expect([on.enabled, on.health.state, on.health.switchedOffAt]).to.deep.equal([true, 'healthy', null]);
    const before = receiver.requests.length;
    await world.work();
    expect(receiver.requests, 'nothing comes by itself').to.have.length(before);

    const answer = await world.api('post', '/v1/webhooks/redeliver').send({ from_date: from }).expect(202);
    expect(answer.body.count).to.equal(5);
    world.advance(1);
    await world.work();
    expect((await deliveriesIn(world)).map(({ status }) => status)).to.deep.equal(
      Array.from({ length: 5 }, () => 'delivered'),
    );
  });

  it("concerns that endpoint alone: the merchant's own goes on when that of a callback_url is gone", async () => {
    const own = await startHoldingReceiver();
    own.open();
    await configure(world, own.url);
    answerAll(410);
    await fanOutPayments(world, shop, 1, { callback_url: receiver.url });
    await fanOutPayments(world, shop, 1);
    await world.work();
    expect((await deliveriesIn(world)).map(({ status }) => status)).to.deep.equal(['failed', 'delivered']);
    expect((await config()).health).to.include({ state: 'healthy' });
    await own.close();
  });
});
