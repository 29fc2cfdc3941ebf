import { expect } from 'chai';
import { RecentMarket } from '../../../../src/domain/chain/rates/priced.ts';
import { marketRates } from '../../../../src/domain/chain/rates/store.ts';
import { selectMethodByToken } from '../../../../src/domain/checkout/actions/select-method.ts';
import { findByToken } from '../../../../src/domain/checkout/view/store.ts';
import { setAcceptedMethods } from '../../../../src/domain/merchants/accepted-methods.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { requestRefund } from '../../../../src/domain/payments/refunds/request.ts';
import type { RefundBody, RefundResource } from '../../../../src/domain/payments/refunds/schemas.ts';
import { readRefunds } from '../../../../src/domain/payments/refunds/store.ts';
import { toResource } from '../../../../src/domain/payments/schemas.ts';
import { languageOf, pageOf } from '../../../../src/http/checkout/page.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

/** From the examples of EIP-55. */
const CUSTOMER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

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
  /** Refunds to a customer, and pays it as the merchant does. */
  const refund = async (id: string, body: RefundBody = {}) => {
    const { merchant_id: merchantId } = await shop.payment(id);
    const caller = { ...shop.caller, merchantId, mode: 'live' as const };
    const own = { ...body, address: CUSTOMER };
    const asked = { body: own, claim: null };
    const { text } = await requestRefund(harness.ctx, real.adapters.live, caller, id, asked);
    const accepted = JSON.parse(text) as RefundResource;
    for (const one of await readRefunds(harness.ctx.db, id))
      if (one.status === 'AWAITING_SIGNATURE')
        await real.pay(id, { address: CUSTOMER.toLowerCase(), coin: one.coin, amount: one.coin_amount });
    await real.mine(12);
    for (let poll = 0; poll < 3; poll += 1) await real.sync();
    return accepted;
  };
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

  it('that was settled in another coin goes back in that coin, at the rate of its credit', async () => {
    const id = await real.create();
    await real.pay(id, { coin: 'ETH', amount: '0.0035' });
    await settle(id);
    const part = await refund(id, { amount: '3' });
    expect(part).to.include({ amount: '3', currency: 'USDC', coin: 'ETH', coin_amount: '0.001' });
    const rest = await refund(id);
    expect(rest).to.include({ amount: '7.5', currency: 'USDC', coin: 'ETH', coin_amount: '0.0025' });
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.5' });
    expect((await ledger(id)).slice(2)).to.deep.equal([
      'refunded merchant customer 0.001 ETH',
      'refunded merchant customer 0.0025 ETH',
    ]);
  });

  it('that was settled in several coins goes back in part out of one of them, and as a whole in each', async () => {
    const id = await real.create();
    await real.pay(id, { amount: '7.50' });
    await real.pay(id, { coin: 'ETH', amount: '0.001' });
    await settle(id);
    const tooMuch = await refund(id, { amount: '8' }).catch((error: Error) => error.message);
    expect(tooMuch).to.match(/^Up to 7\.5 USDC can be refunded, or everything/);
    const tooLittle = await refund(id, { amount: '0.001' }).catch((error: Error) => error.message);
    expect(tooLittle).to.match(/dust limit, 0\.001 USDC/);
    expect(await refund(id, { amount: '7.5' })).to.include({ coin: 'USDC', coin_amount: '7.5' });
    expect(await refund(id)).to.include({ amount: '3', coin: 'ETH', coin_amount: '0.001' });
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '10.5' });
  });

  it('that was too much goes back in the coin that came, and the rest is settled', async () => {
    const id = await real.create({ policy: { overpaid: 'refund_excess' } });
    await real.pay(id, { coin: 'ETH', amount: '0.005' });
    await settle(id);
    expect((await settlements(id)).at(-1)).to.include({ mode: 'as_received', coin: 'ETH', amount: '0.0035' });
    const [due] = await readRefunds(harness.ctx.db, id);
    expect(due).to.include({ source: 'held', coin: 'ETH', coin_amount: '0.0015', reason: 'overpaid' });
  });

  describe('on the page', () => {
    /** The methods that the page offers, as COIN/NETWORK. */
    const offered = async (id: string, adapters = real.adapters) => {
      const { token_id } = await shop.payment(id);
      const payment = await findByToken(harness.ctx.db, token_id);
      if (payment === null) throw new Error('the payment does not exist');
      const { language } = languageOf({ url: '/', headers: {} });
      const { html } = await pageOf(harness.ctx, adapters, payment, language, {});
      const forms = [...html.matchAll(/name="coin" value="(\w+)"[^>]*><input\s[^>]*value="(\w+)"/g)];
      return [...new Set(forms.map(([, coin, network]) => `${coin}/${network}`))].sort();
    };
    const select = async (id: string, coin: string, adapters = real.adapters) =>
      selectMethodByToken(harness.ctx, adapters, (await shop.payment(id)).token_id, coin, 'ethereum');
    const accept = async (id: string) =>
      setAcceptedMethods(harness.ctx.db, (await shop.payment(id)).merchant_id, [
        { coin: 'ETH', network: 'ethereum' },
        { coin: 'USDC', network: 'polygon' },
      ]);

    it('is taken in the settlement coin alone, until the merchant accepts more', async () => {
      const id = await real.create();
      expect(await offered(id)).to.deep.equal([]);
      expect(await select(id, 'ETH')).to.equal('badMethod');
      await accept(id);
      // Nobody reads Polygon here.
      expect(await offered(id)).to.deep.equal(['ETH/ethereum', 'USDC/ethereum']);
    });

    it('in an accepted coin is quoted, and settles in it as planned', async () => {
      const id = await real.create();
      await accept(id);
      expect(await select(id, 'ETH')).to.equal('selected');
      const planned = { mode: 'as_received', coin: 'ETH', network: 'ethereum', amount: null };
      expect(await settlements(id)).to.deep.include(planned);
      await real.pay(id, { coin: 'ETH', amount: '0.0035' });
      await settle(id);
      expect((await settlements(id)).slice(1)).to.deep.equal([
        planned,
        planned,
        { ...planned, amount: '0.0035' },
        { ...planned, amount: '0.0035' },
      ]);
    });

    it('is not taken in a coin without a price now, and still at par', async () => {
      const rates = marketRates(120);
      const live = { ...real.adapters.live, rates, priced: new RecentMarket(rates) };
      const priceless = { ...real.adapters, live };
      const id = await real.create();
      await accept(id);
      expect(await offered(id, priceless)).to.deep.equal([]);
      expect(await select(id, 'ETH', priceless)).to.equal('noRate');
      expect(await select(id, 'USDC', priceless)).to.equal('selected');
    });
  });
});
