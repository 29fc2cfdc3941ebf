import { expect } from 'chai';
import { listUnsold } from '../../../../src/domain/payments/sales/decide.ts';
import { sum } from '../../../../src/platform/values/money.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { ExchangeStand } from '../../../support/exchange-stand.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Fault } from '../../../support/kraken.ts';

describe('a sale at an exchange whose answers are late, of others or wrong', () => {
  let harness: Harness;
  let stand: ExchangeStand;
  let id: string;
  eachShop(async (opened) => {
    ({ harness } = opened);
    stand = await ExchangeStand.open(harness, opened.shop);
    id = await stand.paid();
    // Of other payments: a second order would find coins.
    stand.kraken.account.balances.ETH = '5';
  });
  afterEach(() => stand.close());

  const next = (method: string, fault: Fault) => {
    let isDone = false;
    stand.kraken.fault = (asked) => {
      if (asked !== method || isDone) return null;
      isDone = true;
      return fault;
    };
  };
  const problem = async () => (await stand.resource(id)).settlement.problem;
  const unsold = async () => (await listUnsold(stand.ctx.db, { merchantId: null, onlyHeld: false }))[0];
  const sold = () => sum(stand.kraken.account.orders.map((one) => one.sold));
  const expectSoldOnce = async () => {
    stand.kraken.fault = () => null;
    await stand.workUntil(id, 'SETTLED');
    expect(sold()).to.equal('1');
    expect((await stand.resource(id)).settlement.amount).to.equal('2992.2');
  };

  it('sells once where a list was read long after it was made, and the order came in between', async () => {
    next('AddOrder', { cut: 'before' });
    await stand.work(id);
    const { pair, volume, price_limit, client_id, deadline } = await stand.ctx.db('sale_orders').first();
    const order = { type: 'sell', ordertype: 'limit', timeinforce: 'IOC', pair, volume, price: price_limit };
    const onItsWay = { ...order, cl_ord_id: client_id, deadline: deadline.toISOString() };
    next('ClosedOrders', {
      late() {
        stand.kraken.deliver('AddOrder', onItsWay);
        harness.advance(100);
        return Promise.resolve();
      },
    });
    await stand.work(id);
    await expectSoldOnce();
  });

  for (const [name, result] of [
    ['nothing', null],
    ['no list', {}],
    ['other orders', { open: {}, closed: { OTHER: { cl_ord_id: null, status: 'closed', vol_exec: '1' } } }],
  ] as const)
    it(`sells once where a look-up is answered with ${name}, for long`, async () => {
      next('AddOrder', { cut: 'after' });
      await stand.work(id);
      stand.kraken.fault = (method) =>
        method === 'OpenOrders' || method === 'ClosedOrders' ? { answer: { error: [], result } } : null;
      for (let i = 0; i < 12; i += 1) {
        harness.advance(200);
        await stand.work(id);
      }
      expect(sold()).to.equal('1');
      expect(await problem()).to.equal('exchange_unavailable');
      await expectSoldOnce();
    });

  it('sells once where the request for an order arrives twice, and the second answer comes', async () => {
    next('AddOrder', { answer: { error: ['EAPI:Invalid nonce'] } });
    await stand.work(id);
    await expectSoldOnce();
    expect(stand.kraken.count('AddOrder')).to.equal(1);
  });

  it('sells once where a backup is restored from before the order', async () => {
    next('AddOrder', { cut: 'after' });
    await stand.work(id);
    await stand.ctx.db('sale_orders').delete();
    await expectSoldOnce();
  });

  it('goes on where the exchange does not know yet the order that it has named', async () => {
    next('QueryOrders', { error: 'EOrder:Unknown order' });
    await stand.work(id);
    expect((await unsold())?.status, 'nobody has to look').to.equal('OPEN');
    await expectSoldOnce();
  });

  it('tells of an order whose end never comes, and does not send another', async () => {
    stand.kraken.fault = (method) =>
      method === 'QueryOrders' ? { answer: { error: [], result: {} } } : null;
    for (let i = 0; i < 12; i += 1) {
      await stand.work(id);
      harness.advance(300);
    }
    expect(await problem()).to.equal('exchange_unavailable');
    expect((await unsold())?.detail).to.match(/^the end of order O\w+ is not known$/);
    await expectSoldOnce();
  });

  it('tells of an exchange that does not come back, whatever else it says each time', async () => {
    for (const error of Array.from({ length: 9 }, (_, i) =>
      i % 2 === 0 ? 'EAPI:Rate limit exceeded' : 'EService:Unavailable',
    )) {
      stand.kraken.fault = () => ({ error });
      await stand.work(id);
      harness.advance(240);
    }
    expect(await problem()).to.equal('rate_limited');
    await expectSoldOnce();
  });

  it('is held with what the exchange said, whatever that is made of', async () => {
    next('AddOrder', { error: 'EOrder:\u0000 \u001B[2J no' });
    await stand.work(id);
    expect(await unsold()).to.include({ status: 'HELD', detail: 'AddOrder: EOrder:? ?[2J no' });
  });

  it('waits for its turn where the exchange takes no more orders now', async () => {
    next('AddOrder', { error: 'EOrder:Domain rate limit exceeded' });
    await stand.work(id);
    expect(await unsold()).to.include({ status: 'OPEN', reason: 'rate_limited' });
    await expectSoldOnce();
  });
});
