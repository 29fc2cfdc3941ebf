import { Gauge, type Metric } from 'prom-client';
import { Surveyor, type Survey } from '../../domain/ops/survey.ts';
import type { Context } from '../../platform/context.ts';

/**
 * The metrics of what the whole database holds, to be registered. Every process shows the same of them.
 * Where they cannot be read they are absent, and the others are shown.
 */
export function surveyMetrics(ctx: Context): Metric[] {
  const surveyor = new Surveyor(ctx);
  /** Makes a gauge show the latest survey, and nothing while there is none. */
  const from = (fill: (gauge: Gauge, survey: Survey) => void) =>
    async function collect(this: Gauge): Promise<void> {
      const survey = await surveyor.read().catch(() => null);
      this.reset();
      if (survey === null) this.remove();
      else fill(this, survey);
    };
  return [...paymentMetrics(from), ...webhookMetrics(from), ...chainMetrics(from)];
}

type From = (fill: (gauge: Gauge, survey: Survey) => void) => (this: Gauge) => Promise<void>;

function paymentMetrics(from: From): Metric[] {
  const payments = new Gauge({
    name: 'payments',
    help: 'Payments by status: WAITING, PENDING, PROCESSING counted up to 10000, others as of the last ANALYZE.',
    labelNames: ['status'],
    registers: [],
    collect: from((gauge, survey) => {
      for (const { status, count } of survey.payments) gauge.set({ status }, count);
    }),
  });
  const partitions = new Gauge({
    name: 'partition_end_seconds',
    help: 'How long until the last weekly partition of a table ends; then rows go to the default partition.',
    labelNames: ['table'],
    registers: [],
    collect: from((gauge, survey) => {
      for (const { parent, seconds } of survey.partitions) gauge.set({ table: parent }, seconds);
    }),
  });
  return [payments, partitions];
}

function webhookMetrics(from: From): Metric[] {
  const breakers = new Gauge({
    name: 'webhook_endpoints_stopped',
    help: 'Webhook endpoints whose circuit is open, and those that are disabled.',
    labelNames: ['state'],
    registers: [],
    collect: from((gauge, { endpoints }) => {
      gauge.set({ state: 'open' }, endpoints.open);
      gauge.set({ state: 'disabled' }, endpoints.disabled);
    }),
  });
  const waiting = new Gauge({
    name: 'jobs_waiting_for_turn',
    help: "Jobs that wait for their merchant's turn, up to 10000.",
    registers: [],
    collect: from((gauge, { turns }) => gauge.set(turns.count)),
  });
  const longest = new Gauge({
    name: 'jobs_waiting_for_turn_seconds',
    help: "How long the oldest of the jobs that wait for their merchant's turn has waited.",
    registers: [],
    collect: from((gauge, { turns }) => gauge.set(turns.seconds)),
  });
  return [breakers, waiting, longest];
}

function chainMetrics(from: From): Metric[] {
  const age = new Gauge({
    name: 'chain_head_age_seconds',
    help: 'How long ago this process last saw the head of a network advance; since its own start at most.',
    labelNames: ['network'],
    registers: [],
    collect: from((gauge, { networks }) => {
      for (const { network, ageSeconds } of networks) gauge.set({ network }, ageSeconds);
    }),
  });
  const late = new Gauge({
    name: 'chain_sync_late_seconds',
    help: 'For how long the sync of a network has been due.',
    labelNames: ['network'],
    registers: [],
    collect: from((gauge, { networks }) => {
      for (const { network, lateSeconds } of networks) gauge.set({ network }, lateSeconds);
    }),
  });
  return [age, late];
}
