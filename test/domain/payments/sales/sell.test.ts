import { expect } from 'chai';
import winston from 'winston';
import { reconcileOnce } from '../../../../src/domain/ops/reconcile.ts';
import { verify } from '../../../../src/domain/ops/verify/verify.ts';
import { decideSale, listUnsold } from '../../../../src/domain/payments/sales/decide.ts';
import { sellPayments } from '../../../../src/domain/payments/sales/sell.ts';
import { readWaitingMoney } from '../../../../src/domain/ops/survey/money.ts';
import { sellPayment, settlePayment } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { sum } from '../../../../src/platform/values/money.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { ExchangeStand } from '../../../support/exchange-stand.ts';
import { exported } from '../../../support/exports.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Fault } from '../../../support/kraken.ts';
import type { Shop } from '../../../support/shop.ts';

describe('a payment that is sold at an exchange', () => {
  let harness: Harness;
  let shop: Shop;
  let stand: ExchangeStand;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    stand = await ExchangeStand.open(harness, shop);
  });
  afterEach(() => stand.close());

  const soldAtKraken = () => sum(stand.kraken.account.orders.map(({ sold }) => sold));
  const unsold = () => listUnsold(stand.ctx.db, { merchantId: null, onlyHeld: false });
  const once = (method: string, fault: Fault) => {
    stand.kraken.fault = (asked, times) => (asked === method && times === 1 ? fault : null);
  };

  it('takes ether at an address of the exchange, sells it for the settlement coin, and settles', async () => {
    const id = await stand.paid();
    const { address } = await shop.payment(id);
    expect(stand.kraken.account.addresses.ETH).to.include(address);
    expect(await stand.real.statusOf(id)).to.equal('PROCESSING');
    await stand.work(id);
    const { status, settlement } = await stand.resource(id);
    expect(status).to.equal('SETTLED');
    // 1 ETH at 3,000, less 0.26 %.
    expect(settlement).to.deep.equal({ mode: 'exchange', coin: 'USDC', network: null, amount: '2992.2' });
    expect(stand.kraken.count('AddOrder')).to.equal(1);
    const [order] = stand.kraken.account.orders;
    expect(order?.limit, 'a per cent below the reference rate').to.equal('2970');
    const event = (await shop.events(id)).at(-1);
    expect(event?.type).to.equal('checkout.settled');
    expect(event?.data.settlement).to.deep.equal(settlement);
    const posted = await stand.ctx.db('ledger_entries').where({ payment_id: id }).orderBy('id');
    expect(posted.map(({ kind, coin, amount }) => `${kind} ${amount} ${coin}`)).to.deep.equal([
      'received 1 ETH',
      'converted 1 ETH',
      'settled 2992.2 USDC',
    ]);
  });

  it('in the settlement coin settles once the exchange has credited it, without an order', async () => {
    const id = await stand.real.create({ pay_amount: '10.50' }, stand.merchant);
    const { txHash } = await stand.real.pay(id);
    await stand.finish();
    await stand.work(id);
    expect(await stand.real.statusOf(id)).to.equal('PROCESSING');
    stand.kraken.deposit('USDC', txHash, '10.50', 'Settled');
    await stand.work(id);
    expect(await stand.real.statusOf(id), 'its confirmations are outstanding there').to.equal('PROCESSING');
    for (const deposit of stand.kraken.account.deposits) deposit.status = 'Success';
    // Listed twice, it is one.
    stand.kraken.account.deposits.push(...stand.kraken.account.deposits);
    await stand.work(id);
    const { status, settlement } = await stand.resource(id);
    expect([status, settlement.amount, settlement.mode]).to.deep.equal(['SETTLED', '10.50', 'exchange']);
    expect(stand.kraken.count('AddOrder')).to.equal(0);
  });

  it('sells in several orders what fills in part, and each part once', async () => {
    stand.kraken.depth = '0.4';
    const id = await stand.paid();
    await stand.workUntil(id, 'SETTLED');
    expect(stand.kraken.account.orders.map(({ sold }) => sold)).to.deep.equal(['0.4', '0.4', '0.2']);
    expect((await stand.resource(id)).settlement.amount).to.equal('2992.2');
  });

  it('keeps as it came what is left and too small to be sold', async () => {
    stand.kraken.depth = '0.99995';
    const id = await stand.paid();
    await stand.workUntil(id, 'SETTLED');
    expect(soldAtKraken()).to.equal('0.99995');
    const kept = await stand.ctx
      .db('ledger_entries')
      .where({ payment_id: id, to_account: 'merchant', coin: 'ETH' });
    expect(kept.map(({ amount }) => amount)).to.deep.equal(['0.00005']);
    expect((await stand.resource(id)).settlement.mode).to.equal('exchange');
  });

  for (const [name, error, reason] of [
    ['has not the coins', 'EOrder:Insufficient funds', 'insufficient_funds'],
    ['lacks a right', 'EGeneral:Permission denied', 'key_refused'],
    ['refuses the order', 'EOrder:Trading agreement required', 'order_refused'],
  ] as const)
    it(`stays PROCESSING and says why where the account ${name}, until a person has it tried again`, async () => {
      const id = await stand.paid();
      stand.kraken.fault = (method) => (method === 'AddOrder' ? { error } : null);
      for (let i = 0; i < 3; i += 1) {
        await stand.work(id);
        harness.advance(600);
      }
      const { status, settlement } = await stand.resource(id);
      expect([status, settlement.problem]).to.deep.equal(['PROCESSING', reason]);
      expect(await unsold()).to.have.length(1);
      expect((await unsold())[0]).to.include({ status: 'HELD', reason, detail: `AddOrder: ${error}` });
      const waiting = await readWaitingMoney(stand.ctx.db, harness.ctx.now());
      expect(waiting.map(({ what, mode, count }) => [what, mode, count])).to.deep.equal([
        ['sale_held', 'live', 1],
      ]);
      stand.kraken.fault = () => null;
      await stand.work(id);
      expect(stand.kraken.account.orders, 'nobody has decided').to.deep.equal([]);
      expect(await decideSale(harness.ctx, id, 'retry')).to.equal(1);
      expect((await stand.resource(id)).settlement).to.not.have.property('problem');
      await stand.work(id);
      expect(await stand.real.statusOf(id)).to.equal('SETTLED');
      expect(soldAtKraken()).to.equal('1');
      expect(await decideSale(harness.ctx, id, 'retry')).to.equal(0);
    });

  it('settles in the coin that came where a person decides so', async () => {
    const id = await stand.paid();
    once('AddOrder', { error: 'EOrder:Insufficient funds' });
    await stand.work(id);
    await decideSale(harness.ctx, id, 'as_received');
    await stand.work(id);
    const { status, settlement } = await stand.resource(id);
    expect(status).to.equal('SETTLED');
    expect(settlement).to.deep.equal({ mode: 'as_received', coin: 'ETH', network: 'ethereum', amount: '1' });
    expect(stand.kraken.account.orders).to.deep.equal([]);
  });

  it('says no one coin where a part was sold before a person decided so', async () => {
    stand.kraken.depth = '0.4';
    const id = await stand.paid();
    stand.kraken.fault = (method, times) =>
      method === 'AddOrder' && times === 2 ? { error: 'EOrder:Insufficient funds' } : null;
    await stand.work(id);
    await decideSale(harness.ctx, id, 'as_received');
    await stand.work(id);
    const { settlement } = await stand.resource(id);
    expect(settlement).to.deep.equal({ mode: 'as_received', coin: null, network: null, amount: null });
    expect(soldAtKraken()).to.equal('0.4');
  });

  for (const [name, fault] of [
    ['takes no more requests', { error: 'EAPI:Rate limit exceeded' }],
    ['is unavailable', { error: 'EService:Unavailable' }],
    ['answers with an error of HTTP', { status: 502 }],
    ['cuts the connection', { cut: 'before' }],
  ] as const)
    for (const method of ['DepositStatus', 'AssetPairs', 'AddOrder', 'QueryOrders', 'QueryTrades'])
      it(`goes on by itself where the exchange ${name} at ${method}`, async () => {
        const id = await stand.paid();
        once(method, fault);
        await stand.workUntil(id, 'SETTLED');
        expect(soldAtKraken()).to.equal('1');
        expect((await stand.resource(id)).settlement.amount).to.equal('2992.2');
      });

  it('tells its merchant of an exchange that does not come back', async () => {
    const id = await stand.paid();
    stand.kraken.fault = () => ({ error: 'EService:Unavailable' });
    for (let i = 0; i < 8; i += 1) {
      await stand.work(id);
      harness.advance(300);
    }
    const { status, settlement } = await stand.resource(id);
    expect([status, settlement.problem]).to.deep.equal(['PROCESSING', 'exchange_unavailable']);
    stand.kraken.fault = () => null;
    await stand.workUntil(id, 'SETTLED');
    expect((await stand.resource(id)).settlement).to.not.have.property('problem');
  });

  it('is sold once where an order was taken and the answer never came', async () => {
    const id = await stand.paid();
    once('AddOrder', { cut: 'after' });
    await stand.workUntil(id, 'SETTLED');
    expect([stand.kraken.count('AddOrder'), soldAtKraken()]).to.deep.equal([1, '1']);
  });

  it('sends no second order before the first cannot be taken any more', async () => {
    const id = await stand.paid();
    once('AddOrder', { cut: 'before' });
    await stand.work(id);
    const [{ deadline, client_id }] = await stand.ctx.db('sale_orders');
    expect((await unsold())[0]?.in_doubt).to.equal(client_id);
    while (harness.ctx.now() <= deadline) {
      await stand.work(id);
      expect(stand.kraken.count('AddOrder')).to.equal(0);
      harness.advance(5);
    }
    // It was only late: the exchange refuses it now.
    const late = {
      type: 'sell',
      ordertype: 'limit',
      timeinforce: 'IOC',
      pair: 'ETHUSDC',
      volume: '1',
      price: '1',
    };
    expect(() => stand.kraken.deliver('AddOrder', { ...late, deadline: deadline.toISOString() })).to.throw();
    await stand.workUntil(id, 'SETTLED');
    expect([stand.kraken.count('AddOrder'), soldAtKraken()]).to.deep.equal([1, '1']);
  });

  it("looks an order up that is in doubt before a person's decision is done", async () => {
    const id = await stand.paid();
    once('AddOrder', { cut: 'after' });
    await stand.work(id);
    await decideSale(harness.ctx, id, 'as_received');
    await stand.workUntil(id, 'SETTLED');
    const { settlement } = await stand.resource(id);
    expect(settlement, 'it was sold').to.include({ mode: 'exchange', amount: '2992.2' });
    expect(soldAtKraken()).to.equal('1');
  });

  it('is sold once by runs that come at once, one of which hangs', async () => {
    const id = await stand.paid();
    await settlePayments(stand.ctx, stand.real.adapters.live, [id]);
    let release = () => {};
    const released = new Promise<void>((resolve) => void (release = resolve));
    once('AddOrder', { late: () => released });
    const sell = () => sellPayments(stand.ctx, stand.real.adapters.live, [id]);
    const runs = Promise.all([sell(), sell(), sell()]);
    await stand.workUntil(id, 'SETTLED');
    release();
    await runs;
    expect([stand.kraken.count('AddOrder'), soldAtKraken()]).to.deep.equal([1, '1']);
  });

  it('waits for a person where nobody buys within the bound', async () => {
    stand.kraken.prices.ETHUSDC = '2969.99';
    const id = await stand.paid();
    for (let i = 0; i < 12; i += 1) {
      await stand.work(id);
      harness.advance(400);
    }
    expect((await stand.resource(id)).settlement.problem).to.equal('price_moved');
    expect(soldAtKraken()).to.equal('0');
    expect((await unsold())[0]?.status).to.equal('HELD');
    stand.kraken.prices.ETHUSDC = '2970';
    await decideSale(harness.ctx, id, 'retry');
    await stand.workUntil(id, 'SETTLED');
    expect(soldAtKraken()).to.equal('1');
  });

  for (const [name, amount, status, reason] of [
    ['another amount', '0.9', 'Success', 'deposit_differs'],
    ['no deposit, which failed', '1', 'Failure', 'deposit_failed'],
  ] as const)
    it(`waits for a person where the exchange has credited ${name}`, async () => {
      const id = await stand.paid(false);
      const { tx_hash } = await shop.payment(id);
      stand.kraken.deposit('ETH', String(tx_hash), amount, status);
      await stand.work(id);
      expect((await stand.resource(id)).settlement.problem).to.equal(reason);
      expect(stand.kraken.count('AddOrder')).to.equal(0);
    });

  it('holds no slot that settlements of others need, however long its exchange hangs', () => {
    expect(sellPayment.queue).to.not.equal(settlePayment.queue);
    expect(sellPayment.perMerchant).to.equal(true);
  });

  it('is refunded by its merchant, who has the money at the exchange and pays from a wallet', async () => {
    const id = await stand.paid();
    await stand.work(id);
    const refund = await stand.refund(id, { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' });
    expect(refund).to.include({
      status: 'AWAITING_SIGNATURE',
      coin: 'USDC',
      network: 'ethereum',
      coin_amount: '3000',
    });
  });

  const broken = async () => {
    const { invariants } = await verify(stand.ctx, { since: null });
    return invariants.filter(({ offenders }) => offenders > 0).map(({ name }) => name);
  };

  it('leaves books that balance, which a sale without its entries or orders would not', async () => {
    const id = await stand.paid();
    await stand.work(id);
    expect(await broken()).to.deep.equal([]);
    await stand.ctx.db('conversions').where({ payment_id: id }).update({ settled: '2992.3' });
    expect(await broken()).to.have.members(['ledger', 'sales']);
    await stand.ctx.db('conversions').where({ payment_id: id }).update({ settled: '2992.2' });
    await stand.ctx.db('sale_orders').update({ status: 'SENT' });
    expect(await broken()).to.deep.equal(['sales']);
    await stand.ctx.db('sale_orders').update({ status: 'ENDED' });
  });

  it('has the job that goes on with it, which is restored where it is lost, until it waits for a person', async () => {
    const id = await stand.paid();
    await settlePayments(stand.ctx, stand.real.adapters.live, [id]);
    expect(await broken()).to.deep.equal([]);
    await stand.ctx.db('scheduled_jobs').where({ job: 'payment.sell' }).delete();
    expect(await broken()).to.deep.equal(['due work']);
    const log = winston.createLogger({ silent: true });
    expect(await reconcileOnce({ ...stand.ctx, log })).to.equal(1);
    expect(await broken()).to.deep.equal([]);
    once('AddOrder', { error: 'EOrder:Insufficient funds' });
    await stand.work(id);
    await stand.ctx.db('scheduled_jobs').where({ job: 'payment.sell' }).delete();
    expect(await broken(), 'nobody works on it').to.deep.equal([]);
    expect(await reconcileOnce(stand.ctx)).to.equal(0);
  });

  it('is exported with its orders, by the ids that the exchange has', async () => {
    stand.kraken.depth = '0.4';
    const id = await stand.paid();
    await stand.workUntil(id, 'SETTLED');
    const range = { merchantId: stand.merchant.id, from: null, to: null };
    const rows = await exported(stand.ctx, 'sales', range);
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.include({
      payment_id: id,
      number: 1,
      coin: 'ETH',
      network: 'ethereum',
      amount: '1',
      status: 'ENDED',
      settled: '2992.2',
      kept: '0',
    });
    const orders = rows[0]?.orders as { exchange_id: string; client_id: string; sold: string }[];
    const known = stand.kraken.account.orders.map((one) => [one.id, one.cl_ord_id, one.sold]);
    expect(orders.map((one) => [one.exchange_id, one.client_id, one.sold])).to.deep.equal(known);
    expect(JSON.stringify(rows)).to.not.include(stand.kraken.account.key);
  });
});
