import { checkBooks } from './books.ts';
import { openShop, type Shop } from './shop.ts';
import { createHarness, type Harness } from './harness.ts';

/** Gives each test of the suite a harness and its shop; after each the books must balance. */
export function eachShop(take: (opened: { harness: Harness; shop: Shop }) => void): void {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
    take({ harness, shop: await openShop(harness) });
  });
  afterEach(async () => {
    try {
      await checkBooks(harness.ctx.db);
    } finally {
      await harness.close();
    }
  });
}
