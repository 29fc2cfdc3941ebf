import { expect } from 'chai';
import { SIMULATED_RATES } from '../../../../src/domain/chain/simulator/market.ts';
import { marketAt } from '../../../support/market.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { poisonShop, type PoisonedShop } from '../../../support/poison.ts';
import type { Shop } from '../../../support/shop.ts';

const USDC = { coin: 'USDC', network: 'ethereum' } as const;

describe('a payment whose transfers were quarantined ends as if nothing had failed:', () => {
  let harness: Harness;
  let shop: Shop;
  let poisoned: PoisonedShop;
  eachShop((opened) => {
    ({ harness, shop } = opened);
    poisoned = poisonShop(harness);
  });

  const work = () => poisoned.work();
  const pass = (blocks: number) => poisoned.pass(blocks);
  const now = () => harness.ctx.now();
  const send = (id: string, amount: string) => shop.send(id, { ...USDC, amount });

  /** A payment that a script pays, and where its fault begins. */
  interface Stage {
    readonly id: string;
    readonly fault: () => Promise<unknown>;
  }
  /** All that is stored about the payment's money, without names and times of work. */
  const outcome = async (id: string) => {
    const { db } = harness.ctx;
    const payment = await shop.payment(id);
    const transfers = await db('transfers').where({ payment_id: id }).orderBy('place');
    const of = (row: object, ...keys: string[]) =>
      Object.fromEntries(Object.entries(row).filter(([key]) => keys.includes(key)));
    return {
      payment: of(
        payment,
        'status',
        'exceptions',
        'amount_received',
        'amount_refunded',
        'fully_funded',
        'coin',
        'crypto_amount',
        'actually_paid',
        'actually_paid_currency',
      ),
      deadline: payment.deadline_at.getTime() - payment.created_at.getTime(),
      transfers: (transfers as { confirmed_at: Date | null; dropped_at: Date | null }[]).map((row) => ({
        ...of(row, 'amount', 'coin', 'credit', 'locked_amount', 'locked_credit', 'converted', 'returned'),
        isConfirmed: row.confirmed_at !== null,
        isDropped: row.dropped_at !== null,
      })),
      ledger: (
        await db('ledger_entries')
          .where({ payment_id: id })
          .groupBy('kind', 'from_account', 'to_account', 'coin')
          .select('kind', 'from_account', 'to_account', 'coin')
          .sum('amount')
      )
        .map((entry: object) => JSON.stringify(entry))
        .toSorted(),
      story: await shop.story(id),
    };
  };
  const market = (factor: number) =>
    Object.assign(harness.adapters, {
      rates: marketAt(() => ({ ...SIMULATED_RATES, ETH: String(3000 * factor) })),
    });

  const scripts: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
    'paid at once': async ({ id, fault }) => {
      await fault();
      await send(id, '10.50');
      await poisoned.elapse(168);
    },
    'paid in parts': async ({ id, fault }) => {
      await send(id, '4');
      await pass(2);
      await fault();
      await send(id, '3');
      await pass(2);
      await send(id, '3.50');
      await poisoned.elapse(168);
    },
    'a block replaced': async ({ id, fault }) => {
      await send(id, '10.50');
      await pass(3);
      await fault();
      await shop.chain.reorganise('ethereum', 3, now());
      await poisoned.elapse(240);
    },
    'seen and its block replaced': async ({ id, fault }) => {
      await fault();
      await send(id, '10.50');
      await pass(3);
      await shop.chain.reorganise('ethereum', 3, now());
      await poisoned.elapse(240);
    },
    'the money lost': async ({ id, fault }) => {
      const { txHash } = await send(id, '10.50');
      await pass(3);
      await fault();
      await shop.chain.replace(txHash, now());
      await poisoned.elapse(168);
    },
    'a part lost': async ({ id, fault }) => {
      await fault();
      const { txHash } = await send(id, '6');
      await pass(1);
      await send(id, '4.50');
      await pass(1);
      await shop.chain.replace(txHash, now());
      await pass(2);
      await send(id, '6');
      await poisoned.elapse(168);
    },
    'sped up': async ({ id, fault }) => {
      const { txHash } = await send(id, '10.50');
      await work();
      await fault();
      await shop.chain.speedUp(txHash, now());
      await poisoned.elapse(168);
    },
    'another coin, at its locked rate and at the market': async ({ id, fault }) => {
      market(1);
      await send(id, '1');
      await work();
      await harness.api('get', `/v1/payment/${id}`).expect(200);
      await fault();
      await shop.send(id, { coin: 'ETH', network: 'ethereum', amount: '0.001' });
      await pass(1);
      market(2);
      await poisoned.elapse(16 * 60);
      await shop.send(id, { coin: 'ETH', network: 'ethereum', amount: '0.002' });
      await pass(1);
      market(0.5);
      await poisoned.elapse(240);
    },
    'too much, sent back by policy': async ({ id, fault }) => {
      await fault();
      await send(id, '10.50');
      await pass(1);
      await send(id, '5');
      await poisoned.elapse(240);
    },
  };
  for (const [name, script] of Object.entries(scripts))
    it(name, async () => {
      const terms = name.startsWith('too much') ? { policy: { overpaid: 'refund_excess' as const } } : {};
      const run = async (isFaulty: boolean) => {
        const id = await shop.create(terms);
        const beside = await shop.create();
        let began = false;
        const fault = async () => {
          began = true;
          await send(beside, '10.50');
          if (isFaulty) await poisoned.poison([id]);
        };
        await script({ id, fault });
        expect(began).to.equal(true);
        if (isFaulty) {
          expect(await poisoned.countQuarantined(id)).to.be.greaterThan(0);
          await poisoned.repair();
        }
        await poisoned.untilRetried();
        await poisoned.elapse(240);
        expect((await shop.payment(beside)).status).to.equal('SETTLED');
        return outcome(id);
      };
      const sound = await run(false);
      expect(await run(true)).to.deep.equal(sound);
    });
});
