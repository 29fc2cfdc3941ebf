import { Gauge, type Metric } from 'prom-client';
import { feedHeldSeconds } from '../../domain/events/horizon.ts';
import { countStuck } from '../../domain/ops/stuck.ts';
import { openSurvey } from '../../domain/ops/survey/survey.ts';
import { overdue } from '../../domain/schedule/lateness.ts';
import type { Context } from '../../platform/context.ts';

type Survey = ReturnType<typeof openSurvey>;

/**
 * The metrics of what the whole database holds, to be registered. Every process shows the same of them. One
 * that cannot be read rejects by itself.
 */
export function surveyMetrics(ctx: Context): Metric[] {
  const survey = openSurvey(ctx);
  return [
    ...jobMetrics(ctx, survey),
    ...paymentMetrics(survey),
    ...webhookMetrics(survey),
    ...chainMetrics(survey),
  ];
}

/** Makes a gauge show what a read finds. */
function from<T>(read: () => Promise<T>, fill: (gauge: Gauge, found: T) => void) {
  return async function collect(this: Gauge): Promise<void> {
    const found = await read();
    this.reset();
    fill(this, found);
  };
}

function jobMetrics(ctx: Context, { share }: Survey): Metric[] {
  const late = share(() => overdue(ctx.db, ctx.now()));
  const oldest = new Gauge({
    name: 'due_work_oldest_seconds',
    help: 'How long the oldest overdue job has waited.',
    registers: [],
    collect: from(late, (gauge, { oldestSeconds }) => gauge.set(oldestSeconds)),
  });
  const count = new Gauge({
    name: 'due_work_overdue',
    help: 'Jobs that have been due for 5 s and are not finished, leased or not, up to 1000 of each kind.',
    registers: [],
    collect: from(late, (gauge, found) => gauge.set(found.count)),
  });
  const held = new Gauge({
    name: 'feed_held_seconds',
    help: 'How long the oldest open transaction that has written events holds the event feed back.',
    registers: [],
    collect: from(
      share(() => feedHeldSeconds(ctx.db)),
      (gauge, seconds) => gauge.set(seconds),
    ),
  });
  const stuck = new Gauge({
    name: 'due_work_stuck',
    help: 'Jobs that failed 30 times or more in a row, by kind; parked until an operator releases them.',
    labelNames: ['job'],
    registers: [],
    collect: from(
      share(() => countStuck(ctx.db)),
      (gauge, counts) => {
        for (const { job, count: jobs } of counts) gauge.set({ job }, jobs);
      },
    ),
  });
  return [oldest, count, held, stuck];
}

function paymentMetrics({ payments: counts, partitions: ends, money }: Survey): Metric[] {
  const payments = new Gauge({
    name: 'payments',
    help: 'Payments by status: WAITING, PENDING, PROCESSING counted up to 10000, others as of the last ANALYZE.',
    labelNames: ['status'],
    registers: [],
    collect: from(counts, (gauge, found) => {
      for (const { status, count } of found) gauge.set({ status }, count);
    }),
  });
  const partitions = new Gauge({
    name: 'partition_end_seconds',
    help: 'How long until the last weekly partition of a table ends; then rows go to the default partition.',
    labelNames: ['table'],
    registers: [],
    collect: from(ends, (gauge, found) => {
      for (const { parent, seconds } of found) gauge.set({ table: parent }, seconds);
    }),
  });
  const waiting = new Gauge({
    name: 'money_waiting',
    help: 'Refunds without an address, and conversions that were refused, of test and of live merchants.',
    labelNames: ['what', 'mode'],
    registers: [],
    collect: from(money, (gauge, found) => {
      for (const { what, mode, count } of found) gauge.set({ what, mode }, count);
    }),
  });
  const longest = new Gauge({
    name: 'money_waiting_seconds',
    help: 'For how long the oldest of them has waited.',
    labelNames: ['what', 'mode'],
    registers: [],
    collect: from(money, (gauge, found) => {
      for (const { what, mode, seconds } of found) gauge.set({ what, mode }, seconds);
    }),
  });
  return [payments, partitions, waiting, longest];
}

function webhookMetrics({ endpoints, turns }: Survey): Metric[] {
  const breakers = new Gauge({
    name: 'webhook_endpoints_stopped',
    help: 'Webhook endpoints whose circuit is open, and those that are disabled.',
    labelNames: ['state'],
    registers: [],
    collect: from(endpoints, (gauge, { open, disabled }) => {
      gauge.set({ state: 'open' }, open);
      gauge.set({ state: 'disabled' }, disabled);
    }),
  });
  const waiting = new Gauge({
    name: 'jobs_waiting_for_turn',
    help: "Jobs that wait for their merchant's turn, up to 10000.",
    registers: [],
    collect: from(turns, (gauge, { count }) => gauge.set(count)),
  });
  const longest = new Gauge({
    name: 'jobs_waiting_for_turn_seconds',
    help: "How long the oldest of the jobs that wait for their merchant's turn has waited.",
    registers: [],
    collect: from(turns, (gauge, { seconds }) => gauge.set(seconds)),
  });
  return [breakers, waiting, longest];
}

function chainMetrics({ networks }: Survey): Metric[] {
  const age = new Gauge({
    name: 'chain_head_age_seconds',
    help: 'How long ago this process last saw the head of a network advance; since its own start at most.',
    labelNames: ['network'],
    registers: [],
    collect: from(networks, (gauge, found) => {
      for (const { network, ageSeconds } of found) gauge.set({ network }, ageSeconds);
    }),
  });
  const late = new Gauge({
    name: 'chain_sync_late_seconds',
    help: 'For how long the sync of a network has been due.',
    labelNames: ['network'],
    registers: [],
    collect: from(networks, (gauge, found) => {
      for (const { network, lateSeconds } of found) gauge.set({ network }, lateSeconds);
    }),
  });
  return [age, late];
}
