import { leaseDueOfEach } from '../../domain/schedule/shares.ts';
import type { Context } from '../../platform/context.ts';
import type { LeasedJob } from '../../platform/handover.ts';
import type { Job } from '../../platform/job.ts';

/** Looking for the merchants of a job takes at most this part of the time, however many they are. */
const LOOK_SHARE = 0.25;

/**
 * Jobs of which more is due than a pass leases: what was due first may be all of one merchant, and another's
 * would wait for the last of it. While that is so, half of what is leased goes in equal shares to the
 * merchants with due jobs; the other half by its time, so that nothing waits for ever.
 */
export class Backlogs {
  readonly #behind = new Set<string>();
  readonly #lookAt = new Map<string, number>();

  /** Takes the halves of merchants out of `limits`, and returns them. */
  takeShares(jobs: readonly Job[], limits: Map<string, number>): ReadonlyMap<string, number> {
    const shares = new Map<string, number>();
    for (const { name, isOfMerchants } of jobs) {
      const limit = limits.get(name) ?? 0;
      if (!isOfMerchants || !this.#behind.has(name) || limit < 2) continue;
      if (performance.now() < (this.#lookAt.get(name) ?? -Infinity)) continue;
      shares.set(name, Math.floor(limit / 2));
      limits.set(name, Math.ceil(limit / 2));
    }
    return shares;
  }

  /** Leases the shares of merchants. */
  async lease(
    ctx: Context,
    shares: ReadonlyMap<string, number>,
    { now, leaseEnd }: { now: Date; leaseEnd: Date },
  ): Promise<LeasedJob[]> {
    const leased: LeasedJob[] = [];
    for (const [job, count] of shares) {
      const startedAt = performance.now();
      leased.push(...(await leaseDueOfEach(ctx.db, job, count, now, leaseEnd)));
      const endedAt = performance.now();
      this.#lookAt.set(job, endedAt + (endedAt - startedAt) * (1 / LOOK_SHARE - 1));
    }
    return leased;
  }

  /** Notes of which jobs a pass has leased as many by their time as it would at most. */
  note(limits: ReadonlyMap<string, number>, leased: readonly LeasedJob[]): void {
    for (const [name, limit] of limits) {
      const isBehind = limit > 0 && leased.filter(({ job }) => job === name).length >= limit;
      if (isBehind) this.#behind.add(name);
      else this.#behind.delete(name);
    }
  }
}
