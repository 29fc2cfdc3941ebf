import { expect } from 'chai';
import { SIMULATED_RATES } from '../../../src/domain/chain/rates.ts';
import { chooseCoin } from '../../../src/domain/payments/choose-coin.ts';
import { expirePayments } from '../../../src/domain/payments/expire.ts';
import { autopay } from '../../../src/domain/sandbox/autopay.ts';
import { checkBooks } from '../../support/books.ts';
import { openShop, type Shop } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

describe('the simulated customer', () => {
  let world: World;
  let shop: Shop;
  beforeEach(async () => {
    world = await createWorld({ SIMULATOR_AUTOPAY_SECONDS: '5', SIMULATOR_BLOCK_SECONDS: '1' });
    shop = await openShop(world);
    await world.work();
  });
  afterEach(async () => {
    try {
      await checkBooks(world.ctx.db);
    } finally {
      await world.close();
    }
  });

  it('pays a payment in full, so many seconds after its creation', async () => {
    const id = await shop.create();
    world.advance(4.999);
    await world.work();
    expect((await shop.payment(id)).status).to.equal('WAITING');
    world.advance(0.001);
    await world.work();
    expect(await shop.payment(id)).to.include({ status: 'PENDING', amount_received: '10.5' });
    world.advance(13);
    await world.work();
    expect(await shop.payment(id)).to.deep.include({
      status: 'SETTLED',
      actually_paid: '10.50',
      exceptions: [],
    });
  });

  it('pays in the coin that was chosen meanwhile, and not what somebody has begun to pay', async () => {
    const [chosen, begun] = [await shop.create(), await shop.create()];
    await world.ctx.db.transaction(async (tx) => {
      const offer = { coin: 'BTC', network: 'bitcoin', chain: shop.chain, rates: SIMULATED_RATES } as const;
      await chooseCoin(tx, await shop.payment(chosen), offer, world.ctx.now());
    });
    await shop.pay(begun, { amount: '1' });
    await world.work();
    world.advance(5);
    await world.work();
    expect(await shop.payment(chosen)).to.include({
      status: 'PENDING',
      coin: 'BTC',
      amount_received: '10.5',
    });
    expect(await shop.payment(begun)).to.include({ status: 'PENDING', amount_received: '1' });
  });

  it('pays once, however often and by however many workers at once it is told to, on several networks', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => shop.create()));
    const tron = await openShop(world, await world.addMerchant({ currency: 'USDT', network: 'tron' }));
    ids.push(...(await Promise.all(Array.from({ length: 20 }, () => tron.create()))));
    world.advance(5);
    await Promise.all([
      autopay(world.ctx, ids),
      autopay(world.ctx, ids.toReversed()),
      autopay(world.ctx, ids.slice(10)),
      autopay(world.ctx, ids.toReversed()),
    ]);
    await world.work();
    for (const id of ids)
      expect(await shop.payment(id)).to.deep.include({
        status: 'PENDING',
        amount_received: '10.5',
        exceptions: [],
      });
  });

  it('does not pay what has expired before it came to it', async () => {
    const id = await shop.create({ expiration_minutes: 5 });
    world.advance(300);
    await expirePayments(world.ctx, [id]);
    await world.work();
    expect(await shop.payment(id)).to.include({ status: 'EXPIRED', amount_received: '0' });
  });
});
