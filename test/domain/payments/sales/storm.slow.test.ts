import { expect } from 'chai';
import { decideSale, listUnsold } from '../../../../src/domain/payments/sales/decide.ts';
import { verify } from '../../../../src/domain/ops/verify/verify.ts';
import { subtract, sum } from '../../../../src/platform/values/money.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { ExchangeStand } from '../../../support/exchange-stand.ts';
import type { Harness } from '../../../support/harness.ts';
import type { Fault } from '../../../support/kraken.ts';
import { randomFrom } from '../../../support/random.ts';

const SEEDS = process.env.STORM === undefined ? [1, 2, 3] : process.env.STORM.split(',').map(Number);

/** Payments that three runs sell at once, at an exchange that answers every third request wrongly. */
describe('sales in a storm of wrong answers', function () {
  this.timeout(120_000);
  let harness: Harness;
  let stand: ExchangeStand;
  eachShop(async (opened) => {
    ({ harness } = opened);
    stand = await ExchangeStand.open(harness, opened.shop);
  });
  afterEach(() => stand.close());

  for (const seed of SEEDS)
    it(`sell each coin once, by seed ${seed}`, async () => {
      const random = randomFrom(seed);
      const ids: string[] = [];
      for (let i = 0; i < 3; i += 1) {
        // It has one address for the settlement coin, to which nobody pays here.
        await stand.ctx.db('exchange_addresses').whereRaw(`'USDC' = ANY (coins)`).update({ given_at: null });
        ids.push(await stand.paid());
      }
      // Of other payments: what is sold twice would find coins.
      stand.kraken.account.balances.ETH = '50';
      stand.kraken.depth = '0.35';
      const faults: [() => Fault, ...(() => Fault)[]] = [
        () => ({ cut: 'before' }),
        () => ({ cut: 'after' }),
        () => ({ status: 502 }),
        () => ({ error: 'EService:Unavailable' }),
        () => ({ error: 'EAPI:Rate limit exceeded' }),
        () => ({ error: 'EAPI:Invalid nonce' }),
        () => ({ error: 'EOrder:Insufficient funds' }),
        () => ({ answer: { error: ['EAPI:Invalid nonce'] } }),
        () => ({ answer: { error: [], result: {} } }),
        () => ({ answer: '<html>' }),
        () => ({ late: () => Promise.resolve(harness.advance(random.below(120))) }),
      ];
      stand.kraken.fault = () => (random.chance(0.3) ? random.of(faults)() : null);
      const work = async (id: string) => {
        await stand.work(id);
        if (random.chance(0.3)) await decideSale(stand.ctx, id, 'retry');
      };
      const open = async () => (await listUnsold(stand.ctx.db, { merchantId: null, onlyHeld: false })).length;
      for (let i = 0; i === 0 || (i < 150 && (await open()) > 0); i += 1) {
        await Promise.all([...ids, ...ids, ...ids].map(work));
        harness.advance(10);
      }
      stand.kraken.fault = () => null;
      for (const id of ids) {
        await decideSale(stand.ctx, id, 'retry');
        await stand.workUntil(id, 'SETTLED');
      }
      const { orders, balances } = stand.kraken.account;
      expect(sum(orders.map(({ sold }) => sold))).to.equal('3');
      expect(subtract('50', balances.ETH ?? '0')).to.equal('3');
      const got = await Promise.all(ids.map(async (id) => (await stand.resource(id)).settlement.amount));
      expect(sum(got.map(String))).to.equal(balances.USDC);
      const { invariants } = await verify(stand.ctx, { since: null });
      expect(invariants.filter(({ offenders }) => offenders > 0)).to.deep.equal([]);
    });
});
