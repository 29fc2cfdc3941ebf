import { claim } from '../../src/domain/ops/move/runs.ts';
import { endMove, stopFor } from '../../src/domain/ops/move/steps.ts';
import { dropFence, raiseFence } from '../../src/domain/ops/move/fence.ts';
import type { Harness } from './harness.ts';

/** Stops what is written of the harness's merchant, as a move does when its jobs rest and rows are copied. */
export async function pauseMerchant({ ctx, merchant }: Harness): Promise<void> {
  const move = { merchantId: merchant.id, cell: 'b', run: 'test', now: ctx.now() };
  await claim(ctx.db, move);
  await stopFor(ctx.db, move, 600);
  await raiseFence(ctx.db, merchant.id, 'first');
  await raiseFence(ctx.db, merchant.id, 'late');
}

/** Lets it be written again, as a move does that is taken back. */
export async function endPause({ ctx, merchant }: Harness): Promise<void> {
  await dropFence(ctx.db, merchant.id);
  await endMove(ctx.db, { merchantId: merchant.id, run: 'test' });
}

/** What the database says of a write that it refuses meanwhile; `written`: it has not refused. */
export function refusal(write: Promise<unknown>): Promise<string> {
  return write.then(
    () => 'written',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
