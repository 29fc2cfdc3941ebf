import { Counter, Histogram, type Metric } from 'prom-client';

// What code counts where it happens, one object a process. They are in no registry until operators' pages
// register them (http/operators/metrics.ts), so that counting costs the same with and without a password.
// Labels take values of closed lists only: an id, a path or an address would be a new series each.

/** Rate, errors and duration of every endpoint. Streams that stay open are left out. */
export const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help: "Requests by method, template of the route ('none': no route matches) and status ('aborted': the client left).",
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [],
});

/** Transitions of payments that this process has committed. */
export const transitionsTotal = new Counter({
  name: 'payment_transitions_total',
  help: 'Transitions of payments that this process has committed; the cause is the trigger in the table.',
  labelNames: ['from', 'to', 'cause'] as const,
  registers: [],
});

export const attemptsTotal = new Counter({
  name: 'webhook_attempts_total',
  help: 'Deliveries by what became of them: delivered, retried, exhausted, interrupted or not_sent; and the error.',
  labelNames: ['outcome', 'error'] as const,
  registers: [],
});

export const attemptSeconds = new Histogram({
  name: 'webhook_attempt_duration_seconds',
  help: 'How long attempts to deliver took, up to the deadline: delivered or failed.',
  labelNames: ['outcome'] as const,
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [],
});

export const jobsTotal = new Counter({
  name: 'jobs_total',
  help: 'Runs of jobs that this process has ended: done, failed, or left to a request that holds the test clock.',
  labelNames: ['job', 'outcome'] as const,
  registers: [],
});

export const jobSeconds = new Histogram({
  name: 'job_duration_seconds',
  help: 'How long runs of jobs took.',
  labelNames: ['job'] as const,
  buckets: [0.005, 0.025, 0.1, 0.25, 1, 2.5, 5, 10, 30, 60],
  registers: [],
});

export const jobLatenessSeconds = new Histogram({
  name: 'job_lateness_seconds',
  help: 'How long after its time a job started. Retries and test clocks are left out.',
  labelNames: ['job'] as const,
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  registers: [],
});

export const sweepSeconds = new Histogram({
  name: 'relay_pass_duration_seconds',
  help: 'Passes of the sweep, which finds what is due in Postgres and enqueues a run of it: done or failed.',
  labelNames: ['outcome'] as const,
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  registers: [],
});

export const leasedTotal = new Counter({
  name: 'relay_jobs_total',
  help: 'Scheduled jobs that the runs of this process have leased.',
  registers: [],
});

export const replicaReadsTotal = new Counter({
  name: 'replica_reads_total',
  help: 'Reads that the replica served, or that the primary did: the replica was behind, failed, or rests after that.',
  labelNames: ['outcome'] as const,
  registers: [],
});

export const limitFallbacksTotal = new Counter({
  name: 'rate_limit_fallbacks_total',
  help: "Requests whose rate limit was counted in this process's memory, because Redis did not count them.",
  registers: [],
});

/** Everything above, to be registered. */
export const MEASURES: readonly Metric[] = [
  requestSeconds,
  transitionsTotal,
  attemptsTotal,
  attemptSeconds,
  jobsTotal,
  jobSeconds,
  jobLatenessSeconds,
  sweepSeconds,
  leasedTotal,
  replicaReadsTotal,
  limitFallbacksTotal,
];
