import type { MoveOrder } from '../../src/domain/ops/move/bring.ts';
import { moveMerchant } from '../../src/domain/ops/move/move.ts';
import { createHarness, type Harness } from './harness.ts';

/** Two cells on one Postgres, each with a database of its own, and a merchant in the first of them. */
export interface MoveStand {
  readonly source: Harness;
  readonly target: Harness;
  /** How often proxies were led to another cell. */
  switched: number;
  move(order?: Partial<MoveOrder>): ReturnType<typeof moveMerchant>;
  moveBack(order?: Partial<MoveOrder>): ReturnType<typeof moveMerchant>;
  close(): Promise<void>;
}

export async function createMoveStand(): Promise<MoveStand> {
  const [source, target] = [await createHarness(), await createHarness()];
  const moveTo = (from: Harness, to: Harness, order: Partial<MoveOrder> & { cell: string }) =>
    moveMerchant(from.ctx, to.ctx.db, {
      merchantId: source.merchant.id,
      announce: () => Promise.resolve(),
      switchRoutes: () => Promise.resolve(void (stand.switched += 1)),
      ...order,
    });
  const stand: MoveStand = {
    source,
    target,
    switched: 0,
    move: (order = {}) => moveTo(source, target, { cell: 'b', ...order }),
    moveBack: (order = {}) => moveTo(target, source, { cell: 'a', ...order }),
    async close() {
      await source.close();
      await target.close();
    },
  };
  return stand;
}
