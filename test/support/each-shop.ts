import type { Environment } from '../../src/platform/config/config.ts';
import { checkInvariants } from './invariants.ts';
import { openShop, type Shop } from './shop.ts';
import { createHarness, type Harness } from './harness.ts';

/** Sets up a harness and its shop for each test; after each, all ledgers must balance. */
export function eachShop(
  take: (opened: { harness: Harness; shop: Shop }) => unknown,
  env: Environment = {},
): void {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness(env);
    await take({ harness, shop: await openShop(harness) });
  });
  afterEach(async () => {
    try {
      await checkInvariants(harness.ctx.db);
    } finally {
      await harness.close();
    }
  });
}
