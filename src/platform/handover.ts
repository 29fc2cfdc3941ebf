/** The merchant that a job is for; weight: how many slots it may hold relative to others. */
export interface JobMerchant {
  readonly id: string;
  readonly weight: number;
}

/** A scheduled job that nobody else starts until its lease ends. */
export interface LeasedJob {
  readonly job: string;
  readonly key: string;
  readonly failures: number;
  readonly test_clock: string | null;
  /** Whose slots the job takes; null: it is nobody's. */
  readonly merchant: JobMerchant | null;
  /** When it was to run; absent: it waited for its merchant's turn since. */
  readonly run_at?: Date | undefined;
}

/**
 * Takes what a run leases as it schedules it: that goes to its queue at once, instead of waiting for a relay
 * that looks for it and leases it.
 */
export interface Handover {
  /** When the lease of a job ends that a run schedules now; null: it is left to the relays. */
  leaseEndOf(job: { readonly name: string }): Date | null;
  /** Hands over jobs that are leased until `leaseEnd`, once that is committed. */
  take(jobs: readonly LeasedJob[], leaseEnd: Date): void;
}
