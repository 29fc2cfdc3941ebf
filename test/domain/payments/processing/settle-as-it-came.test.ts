import { expect } from 'chai';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { toResource } from '../../../../src/domain/payments/schemas.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

describe('money of a real network', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  eachShop((opened) => {
    ({ harness, shop } = opened);
    real = openRealNetwork(harness, shop);
  });

  /** Makes what was sent final, and settles the payment. */
  const settle = async (id: string) => {
    await real.mine(12);
    for (let poll = 0; poll < 3; poll += 1) await real.sync();
    await settlePayments(harness.ctx, real.adapters.live, [id]);
  };
  /** The settlements that the payment's events report, and last that of the API. */
  const settlements = async (id: string) => [
    ...(await shop.events(id)).map(({ data }) => data.settlement),
    toResource(await shop.payment(id), '').settlement,
  ];
  const ledger = async (id: string) => {
    const entries = await harness.ctx.db('ledger_entries').where({ payment_id: id }).orderBy('id');
    return entries.map(
      ({ kind, from_account, to_account, amount, coin }) =>
        `${kind} ${from_account} ${to_account} ${Number(amount)} ${coin}`,
    );
  };

  it('is settled when it is final in the settlement coin, and nothing is converted', async () => {
    const id = await real.create();
    const planned = { mode: 'par', coin: 'USDC', network: 'ethereum', amount: null };
    await real.pay(id);
    await settle(id);
    const settled = { ...planned, amount: '10.50' };
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', actually_paid: '10.50' });
    expect(await settlements(id)).to.deep.equal([planned, planned, planned, settled, settled]);
    expect(await ledger(id)).to.deep.equal([
      'received customer held 10.5 USDC',
      'settled held merchant 10.5 USDC',
    ]);
  });

  it('in another coin is settled in the coin that came', async () => {
    const id = await real.create();
    await real.pay(id, { coin: 'ETH', amount: '0.0035' });
    await settle(id);
    expect(await shop.payment(id)).to.include({
      status: 'SETTLED',
      actually_paid: '0.0035',
      actually_paid_currency: 'ETH',
    });
    const settled = { mode: 'as_received', coin: 'ETH', network: 'ethereum', amount: '0.0035' };
    expect((await settlements(id)).slice(-2)).to.deep.equal([settled, settled]);
    expect(await ledger(id)).to.deep.equal([
      'received customer held 0.0035 ETH',
      'settled held merchant 0.0035 ETH',
    ]);
  });

  it('in several coins is settled in each of them, and named in none', async () => {
    const id = await real.create();
    await real.pay(id, { amount: '7.50' });
    await real.pay(id, { coin: 'ETH', amount: '0.001' });
    await settle(id);
    const settled = { mode: 'as_received', coin: null, network: 'ethereum', amount: null };
    expect((await settlements(id)).slice(-2)).to.deep.equal([settled, settled]);
    expect((await ledger(id)).slice(2)).to.have.members([
      'settled held merchant 7.5 USDC',
      'settled held merchant 0.001 ETH',
    ]);
  });
});
