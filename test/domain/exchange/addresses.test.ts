import { expect } from 'chai';
import { findCaller } from '../../../src/domain/merchants/api-keys.ts';
import { takeAddress } from '../../../src/domain/exchange/addresses.ts';
import { hashBody } from '../../../src/domain/idempotency/claim.ts';
import { createPayment } from '../../../src/domain/payments/create.ts';
import { selectMethodByToken } from '../../../src/domain/checkout/actions/select-method.ts';
import { afterRestore } from '../../../src/domain/ops/restored.ts';
import { hashApiKey } from '../../../src/platform/values/ids.ts';
import { ApiError } from '../../../src/domain/api/errors.ts';
import { ownerAt } from '../../../src/domain/payments/sync/standing.ts';
import { eachShop } from '../../support/each-shop.ts';
import { ExchangeStand } from '../../support/exchange-stand.ts';
import type { Harness } from '../../support/harness.ts';
import type { Shop } from '../../support/shop.ts';

describe('deposit addresses of an exchange', () => {
  let harness: Harness;
  let shop: Shop;
  let stand: ExchangeStand;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    stand = await ExchangeStand.open(harness, shop);
  });
  afterEach(() => stand.close());

  const create = async (key: string) => {
    const caller = await findCaller(stand.ctx.db, hashApiKey(stand.merchant.apiKey));
    if (caller === null) throw new Error('the merchant does not exist');
    const body = { pay_amount: '10.50', order_id: 'order-1' };
    const path = { merchantId: caller.merchantId, method: 'POST', path: '/v1/payment' };
    const claim = { ...path, key, bodyHash: hashBody(body) };
    return createPayment(stand.ctx, stand.real.adapters, caller, body, claim);
  };
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => (error instanceof ApiError ? error.message : String(error)),
    );
  const open = () => stand.real.create({ pay_amount: '10.50', expiration_minutes: 60 }, stand.merchant);

  it("are one payment's alone while it can be paid, and a day and an hour longer", async () => {
    const first = await open();
    expect(await refusal(open())).to.include('every deposit address of the exchange account for USDC');
    expect(await refusal(open()), 'each time').to.include('in use by another payment');
    harness.advance(3_600);
    await harness.work(stand.real.adapters);
    expect(await refusal(open()), 'it has expired').to.include('in use');
    harness.advance(25 * 3_600 - 60);
    expect(await refusal(open()), 'a minute too early').to.include('in use');
    harness.advance(61);
    const second = await open();
    expect((await shop.payment(second)).address).to.equal((await shop.payment(first)).address);
  });

  it('are not needed by a request that is repeated, and a repeated one takes none', async () => {
    const first = await create('one');
    expect((await create('one')).text, 'none is left').to.equal(first.text);
    await stand.ctx.db('exchange_addresses').update({ given_at: null });
    expect((await create('one')).text, 'one is taken, and given back').to.equal(first.text);
    expect(await refusal(create('two')), 'it has rested already').to.equal(null);
  });

  it('bring money to the payment that has them when it is seen, also when blocks are read again', async () => {
    const first = await open();
    const { address } = await shop.payment(first);
    harness.advance(27 * 3_600);
    await harness.work(stand.real.adapters);
    const second = await open();
    await stand.real.pay(second, { amount: '10.50', address });
    await stand.finish();
    expect(await stand.real.statusOf(second)).to.equal('PROCESSING');
    expect((await shop.payment(first)).amount_received).to.equal('0');
    const at = (hour: number) => new Date(Date.UTC(2026, 0, 31, hour));
    const owners = [
      { payment_id: 'later', address, created_at: at(10) },
      { payment_id: 'earlier', address, created_at: at(1) },
    ];
    expect([0, 1, 9, 10, 11].map((hour) => ownerAt(owners, at(hour))?.payment_id)).to.deep.equal([
      'earlier',
      'earlier',
      'earlier',
      'later',
      'later',
    ]);
    expect(ownerAt([], at(1))).to.equal(undefined);
  });

  it('for the coin that a customer chooses are taken then, and one for each payment', async () => {
    // One more address of the settlement coin than Kraken has, so that two payments are open.
    const [usdc] = await stand.ctx.db('exchange_addresses').whereRaw(`'USDC' = ANY (coins)`);
    const first = await open();
    await stand.ctx.db('exchange_addresses').where({ address: usdc.address }).update({ given_at: null });
    const chosen = await stand.chooseEther(first);
    expect(chosen).to.equal('selected');
    const { address, coin } = await shop.payment(first);
    expect([coin, stand.kraken.account.addresses.ETH?.includes(address)]).to.deep.equal(['ETH', true]);
    expect(await stand.chooseEther(first), 'again').to.equal('selected');
    expect((await shop.payment(first)).address).to.equal(address);
    const taken = await stand.ctx.db('exchange_addresses').whereNotNull('given_at');
    expect(taken.map((row) => row.address)).to.deep.equal([address]);
  });

  it('are one for a payment whose customer chooses many times at once', async () => {
    const id = await open();
    const results = await Promise.all(Array.from({ length: 5 }, () => stand.chooseEther(id)));
    expect(new Set(results)).to.deep.equal(new Set(['selected']));
    const taken = await stand.ctx
      .db('exchange_addresses')
      .whereNotNull('given_at')
      .whereRaw(`'ETH' = ANY (coins)`)
      .pluck('address');
    expect(taken).to.deep.equal([(await shop.payment(id)).address]);
  });

  it('are left to others by a payment that gets no rate', async () => {
    const id = await open();
    const { adapters } = stand.real;
    const rates = () => Promise.resolve(() => new Map());
    const unpriced = { ...adapters, live: { ...adapters.live, rates } };
    const { token_id } = await shop.payment(id);
    for (let times = 0; times < 6; times += 1)
      expect(await selectMethodByToken(stand.ctx, unpriced, token_id, 'ETH', 'ethereum')).to.equal('noRate');
    expect(await stand.chooseEther(id)).to.equal('selected');
  });

  it('rest after a backup was restored, which does not know whom they were given to since', async () => {
    const { exchange_addresses } = await afterRestore(stand.ctx);
    expect(exchange_addresses).to.equal(6);
    expect(await refusal(open())).to.include('in use');
    harness.advance(24 * 3_600);
    expect(await refusal(open()), 'a day later').to.include('in use');
    harness.advance(3_600 + 601);
    expect(await refusal(open())).to.equal(null);
  });

  it('are free within minutes where the payment that took one was not stored after all', async () => {
    const merchantId = stand.merchant.id;
    await takeAddress(stand.ctx, { merchantId, coin: 'USDC', network: 'ethereum', underWay: [] });
    expect(await refusal(open())).to.include('in use');
    harness.advance(601);
    expect(await refusal(open())).to.equal(null);
  });

  it('that somebody has changed in the database are given to nobody', async () => {
    await stand.ctx
      .db('exchange_addresses')
      .whereRaw(`'USDC' = ANY (coins)`)
      .update({ address: '0x00000000000000000000000000000000000000aa' });
    expect(await refusal(open())).to.include('the exchange account cannot be used');
  });
});
