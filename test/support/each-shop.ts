import { checkBooks } from './books.ts';
import { openShop, type Shop } from './shop.ts';
import { createWorld, type World } from './world.ts';

/** Gives each test of the suite a world and its shop; after each the books must balance. */
export function eachShop(take: (opened: { world: World; shop: Shop }) => void): void {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
    take({ world, shop: await openShop(world) });
  });
  afterEach(async () => {
    try {
      await checkBooks(world.ctx.db);
    } finally {
      await world.close();
    }
  });
}
