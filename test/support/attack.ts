import type { Rates } from '../../src/domain/chain/rates/rates.ts';
import { SIMULATED_RATES } from '../../src/domain/chain/simulator/market.ts';
import { marketAt } from './market.ts';
import type { RefundResource } from '../../src/domain/payments/refunds/schemas.ts';
import { createHarness, type Harness } from './harness.ts';
import { openShop, type Shop } from './shop.ts';

/** A shop whose market a test moves. */
export interface Attack {
  readonly harness: Harness;
  readonly shop: Shop;
  /** Sets the rates of coins in US dollars, from the next request or job on. */
  readonly market: (rates: Partial<Rates>) => void;
  /** Lets seconds pass, and does the work that each brings. */
  readonly pass: (seconds: number) => Promise<void>;
  /** The refunds of a payment through the API, oldest first. */
  readonly refunds: (id: string) => Promise<RefundResource[]>;
  readonly close: () => Promise<void>;
}

export async function openAttack(blockSeconds = '1'): Promise<Attack> {
  const harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: blockSeconds, SIMULATE_LIVE: 'true' });
  const shop = await openShop(harness);
  return {
    harness,
    shop,
    market(rates) {
      const current: Rates = { ...SIMULATED_RATES, ...rates };
      // The handlers and the endpoints read the rates from this object at each use.
      Object.assign(harness.adapters, { rates: marketAt(() => current) });
    },
    async pass(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        await harness.work();
        harness.advance(1);
      }
      await harness.work();
    },
    async refunds(id) {
      const { body } = await harness.api('get', `/v1/payment/${id}/refunds`).expect(200);
      return (body as { data: RefundResource[] }).data.toReversed();
    },
    close: () => harness.close(),
  };
}
