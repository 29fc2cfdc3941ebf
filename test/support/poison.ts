import winston from 'winston';
import { createHandlers } from '../../src/background/workers.ts';
import type { Context } from '../../src/platform/context.ts';
import type { Harness } from './harness.ts';
import { leaseAndRun } from './stuck.ts';

const BLOCK_SECONDS = 12;
/** Longer than the longest delay between two tries of a job. */
const RETRY_SECONDS = 660;

/** A shop in whose database rows of one payment are refused, and its workers, which run as they do then. */
export interface PoisonedShop {
  /** Logs nothing: the errors are on purpose. */
  readonly ctx: Context;
  /** Runs what is due; a job that fails runs again later. */
  readonly work: () => Promise<void>;
  /** Lets so many blocks of Ethereum pass, and does their work. */
  readonly pass: (blocks: number) => Promise<void>;
  /** Lets time pass at once, and does its work. */
  readonly elapse: (seconds: number) => Promise<void>;
  /** Lets so much time pass that each job that failed is tried again. */
  readonly untilRetried: () => Promise<void>;
  /** Postgres refuses rows of this table for the payments from now on. */
  readonly poison: (ids: readonly string[], table?: string) => Promise<unknown>;
  readonly repair: (table?: string) => Promise<unknown>;
  /** How many pages' reports of the payment are quarantined; null: of all payments. */
  readonly countQuarantined: (id: string | null) => Promise<number>;
}

export function poisonShop(harness: Harness): PoisonedShop {
  const ctx = { ...harness.ctx, log: winston.createLogger({ silent: true }) };
  const handlers = createHandlers(harness.adapters);
  const work = async () => {
    while ((await leaseAndRun(ctx, handlers)).length > 0);
  };
  const passSteps = async (count: number, seconds: number) => {
    for (let step = 0; step < count; step += 1) {
      harness.advance(seconds);
      await work();
    }
  };
  return {
    ctx,
    work,
    pass: (blocks) => passSteps(blocks, BLOCK_SECONDS),
    elapse: (seconds) => passSteps(1, seconds),
    untilRetried: () => passSteps(3, RETRY_SECONDS / 3),
    poison: (ids, table = 'transfers') =>
      ctx.db.raw(
        `ALTER TABLE ${table} ADD CONSTRAINT test_fault
         CHECK (payment_id <> ALL ('{${ids.join()}}')) NOT VALID`,
      ),
    repair: (table = 'transfers') => ctx.db.raw(`ALTER TABLE ${table} DROP CONSTRAINT test_fault`),
    async countQuarantined(id) {
      const rows = await ctx.db('unapplied_transfers').pluck('payment_id');
      return rows.filter((paymentId) => id === null || paymentId === id).length;
    },
  };
}
