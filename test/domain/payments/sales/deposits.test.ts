import { expect } from 'chai';
import { readWaitingMoney } from '../../../../src/domain/ops/survey/money.ts';
import { verify } from '../../../../src/domain/ops/verify/verify.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { decideSale } from '../../../../src/domain/payments/sales/decide.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { ExchangeStand } from '../../../support/exchange-stand.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Shop } from '../../../support/shop.ts';

describe('a deposit at an exchange', () => {
  let harness: Harness;
  let shop: Shop;
  let stand: ExchangeStand;
  let id: string;
  let txHash: string;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    stand = await ExchangeStand.open(harness, shop);
    id = await stand.paid(false);
    txHash = (await shop.payment(id)).tx_hash ?? '';
    stand.kraken.account.balances.ETH = '5';
  });
  afterEach(() => stand.close());

  const status = () => stand.real.statusOf(id);
  const problem = async () => (await stand.resource(id)).settlement.problem;
  const deposit = (amount: string, more: Parameters<typeof stand.kraken.deposit>[4] = {}) =>
    stand.kraken.deposit('ETH', txHash, amount, 'Success', more);

  it('is found behind many that came later, and beside another one of its transaction', async () => {
    const { address } = await shop.payment(id);
    deposit('1', { info: address ?? '' });
    const [other = ''] = (stand.kraken.account.addresses.ETH ?? []).filter((one) => one !== address);
    deposit('2', { info: other });
    for (let i = 0; i < 30; i += 1) stand.kraken.deposit('ETH', `0x${i}`, '0.001');
    await stand.workUntil(id, 'SETTLED');
    expect((await stand.resource(id)).settlement.amount).to.equal('2992.2');
  });

  for (const [name, more, reason] of [
    ['of which the exchange has kept a fee', { fee: '0.0100000000' }, 'deposit_differs'],
    ['that the exchange sends back', { 'status-prop': 'return' }, 'deposit_failed'],
  ] as const)
    it(`${name} waits for a person, and sells nothing of others`, async () => {
      deposit('1', more);
      await stand.work(id);
      expect([await status(), await problem()]).to.deep.equal(['PROCESSING', reason]);
      expect(stand.kraken.count('AddOrder')).to.equal(0);
    });

  it('that the exchange reviews is waited for', async () => {
    deposit('1', { 'status-prop': 'onhold' });
    await stand.work(id);
    expect(stand.kraken.count('AddOrder')).to.equal(0);
    delete stand.kraken.account.deposits[0]?.['status-prop'];
    await stand.workUntil(id, 'SETTLED');
  });

  it('that the chain has dropped and the exchange never saw ends its sale, and nobody has to look', async () => {
    await stand.work(id);
    const sent = await stand.ctx.db('transfers').where({ payment_id: id }).first();
    const lost = {
      network: 'ethereum',
      txHash,
      coin: 'ETH',
      address: (await shop.payment(id)).address ?? '',
      sender: sent.sender,
      amount: sent.amount,
      seenAt: sent.seen_at,
      block: null,
      final: false,
      droppedAt: harness.ctx.now(),
      replacedBy: null,
      reason: 'replaced',
    } as const;
    stand.real.tell((page) => ({ ...page, transfers: [lost] }));
    await stand.real.sync();
    stand.real.tell((page) => page);
    expect(await status()).to.equal('FAILED');
    harness.advance(3_600);
    await stand.work(id);
    expect(await stand.ctx.db('sales').pluck('status')).to.deep.equal(['ENDED']);
    expect(await stand.ctx.db('conversions').pluck('status')).to.deep.equal(['REFUSED']);
    expect(await readWaitingMoney(stand.ctx.db, harness.ctx.now())).to.deep.equal([]);
    expect((await stand.resource(id)).settlement).to.not.have.property('problem');
    const { invariants } = await verify(stand.ctx, { since: null });
    expect(invariants.filter(({ offenders }) => offenders > 0)).to.deep.equal([]);
  });

  it('of a payment that has settled is no problem of the payment, and waits for a person all the same', async () => {
    deposit('1');
    await stand.workUntil(id, 'SETTLED');
    const { address } = await shop.payment(id);
    const later = await stand.real.pay(id, { coin: 'ETH', amount: '0.5', address });
    await stand.finish();
    stand.kraken.deposit('ETH', later.txHash, '0.5');
    stand.kraken.fault = (method) => (method === 'AddOrder' ? { error: 'EOrder:Insufficient funds' } : null);
    await stand.work(id);
    expect(await stand.ctx.db('sales').orderBy('number').pluck('status')).to.deep.equal(['ENDED', 'HELD']);
    expect((await stand.resource(id)).settlement).to.not.have.property('problem');
    expect(await readWaitingMoney(stand.ctx.db, harness.ctx.now())).to.have.length(1);
    await decideSale(stand.ctx, id, 'as_received');
    await stand.work(id);
    expect((await stand.resource(id)).settlement).to.include({ mode: 'exchange', amount: '2992.2' });
  });

  it('that comes while another one of its payment is sold leaves a job for its sale', async () => {
    deposit('1');
    const jobs = () => stand.ctx.db('scheduled_jobs').where({ job: 'payment.sell', key: id });
    await settlePayments(stand.ctx, stand.real.adapters.live, [id]);
    // As a worker leases it.
    await jobs().update({ visible_at: new Date(harness.ctx.now().getTime() + 30_000) });
    const { address } = await shop.payment(id);
    const comes = async () => {
      const { txHash: other } = await stand.real.pay(id, { coin: 'ETH', amount: '0.5', address });
      stand.kraken.deposit('ETH', other, '0.5');
      await stand.real.mine(100);
      for (let poll = 0; poll < 3; poll += 1) await stand.real.sync();
      await settlePayments(stand.ctx, stand.real.adapters.live, [id]);
    };
    stand.kraken.fault = (method, times) =>
      method === 'QueryTrades' && times === 1 ? { late: comes } : null;
    await stand.sell(id);
    expect(await stand.ctx.db('sales').orderBy('number').pluck('status')).to.deep.equal(['ENDED', 'OPEN']);
    expect(await jobs()).to.have.length(1);
    await stand.workUntil(id, 'SETTLED');
  });
});
