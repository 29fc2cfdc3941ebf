import type { Metric } from 'prom-client';
import { feedHeldSeconds } from '../../domain/events/horizon.ts';
import type { Provider } from '../../domain/chain/port.ts';
import { countStuck } from '../../domain/ops/stuck.ts';
import type { LiveNetworkRow } from '../../domain/ops/survey/statements.ts';
import { openSurvey } from '../../domain/ops/survey/survey.ts';
import { overdue } from '../../domain/schedule/lateness.ts';
import type { Context } from '../../platform/context.ts';
import { gauge } from '../../platform/metrics/gauge.ts';

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

function jobMetrics(ctx: Context, { share }: Survey): Metric[] {
  const late = share(() => overdue(ctx.db, ctx.now()));
  const stuck = share(() => countStuck(ctx.db));
  return [
    gauge({
      name: 'due_work_oldest_seconds',
      help: 'How long the oldest overdue job has waited.',
      read: async () => (await late()).oldestSeconds,
    }),
    gauge({
      name: 'due_work_overdue',
      help: 'Jobs that have been due for 5 s and are not finished, leased or not, up to 1000 of each kind.',
      read: async () => (await late()).count,
    }),
    gauge({
      name: 'feed_held_seconds',
      help: 'How long the oldest open transaction that has written events holds the event feed back.',
      read: share(() => feedHeldSeconds(ctx.db)),
    }),
    gauge({
      name: 'due_work_stuck',
      help: 'Jobs that failed 30 times or more in a row, by kind; parked until an operator releases them.',
      labelNames: ['job'],
      read: async () => (await stuck()).map(({ job, count }) => [{ job }, count]),
    }),
  ];
}

function paymentMetrics({ payments, partitions, money }: Survey): Metric[] {
  return [
    gauge({
      name: 'payments',
      help: 'Payments by status: WAITING, PENDING, PROCESSING counted up to 10000, others as of the last ANALYZE.',
      labelNames: ['status'],
      read: async () => (await payments()).map(({ status, count }) => [{ status }, count]),
    }),
    gauge({
      name: 'partition_end_seconds',
      help: 'How long until the last weekly partition of a table ends; then rows go to the default partition.',
      labelNames: ['table'],
      read: async () => (await partitions()).map(({ parent, seconds }) => [{ table: parent }, seconds]),
    }),
    gauge({
      name: 'money_waiting',
      help: 'Refunds without an address, and conversions that were refused, of test and of live merchants.',
      labelNames: ['what', 'mode'],
      read: async () => (await money()).map(({ what, mode, count }) => [{ what, mode }, count]),
    }),
    gauge({
      name: 'money_waiting_seconds',
      help: 'For how long the oldest of them has waited.',
      labelNames: ['what', 'mode'],
      read: async () => (await money()).map(({ what, mode, seconds }) => [{ what, mode }, seconds]),
    }),
  ];
}

function webhookMetrics({ endpoints, turns }: Survey): Metric[] {
  return [
    gauge({
      name: 'webhook_endpoints_stopped',
      help: 'Webhook endpoints whose circuit is open, and those that are disabled.',
      labelNames: ['state'],
      async read() {
        const { open, disabled } = await endpoints();
        return [
          [{ state: 'open' }, open],
          [{ state: 'disabled' }, disabled],
        ];
      },
    }),
    gauge({
      name: 'jobs_waiting_for_turn',
      help: "Jobs that wait for their merchant's turn, up to 10000.",
      read: async () => (await turns()).count,
    }),
    gauge({
      name: 'jobs_waiting_for_turn_seconds',
      help: "How long the oldest of the jobs that wait for their merchant's turn has waited.",
      read: async () => (await turns()).seconds,
    }),
  ];
}

function chainMetrics({ networks, live }: Survey): Metric[] {
  return [
    gauge({
      name: 'chain_head_age_seconds',
      help: 'How long ago this process last saw the head of a network advance; since its own start at most.',
      labelNames: ['network'],
      read: async () => (await networks()).map(({ network, ageSeconds }) => [{ network }, ageSeconds]),
    }),
    gauge({
      name: 'chain_sync_late_seconds',
      help: 'For how long the sync of a network has been due; of a real one (ethereum/live), how far its scan is behind.',
      labelNames: ['network'],
      read: async () => (await networks()).map(({ network, lateSeconds }) => [{ network }, lateSeconds]),
    }),
    gauge({
      name: 'chain_halted',
      help: '1: a real network has halted, and nothing of it is read or confirmed until an operator resumes it.',
      labelNames: ['network'],
      read: async () => (await networks()).map(({ network, isHalted }) => [{ network }, Number(isHalted)]),
    }),
    gauge({
      name: 'chain_forked',
      help: '1: a provider is on another branch of a real network than the one that was read, not longer yet.',
      labelNames: ['network'],
      read: async () => (await live()).map(({ network, is_forked }) => [{ network }, Number(is_forked)]),
    }),
    gauge({
      name: 'chain_provider_ok',
      help: '0: the last request to a provider of a real network failed, or its answer was refused.',
      labelNames: ['network', 'provider'],
      read: async () => (await live()).flatMap(ofProviders(({ ok }) => Number(ok))),
    }),
    gauge({
      name: 'chain_provider_lag_blocks',
      help: 'How many blocks a provider of a real network is behind the highest head that one has named.',
      labelNames: ['network', 'provider'],
      read: async () => (await live()).flatMap(ofProviders(({ lag }) => lag)),
    }),
    gauge({
      name: 'chain_audit_late_seconds',
      help: 'How long the oldest balance audit of a real network has been due; it waits for a final block.',
      labelNames: ['network'],
      read: async () =>
        (await live()).map(({ network, audit_late_seconds }) => [{ network }, audit_late_seconds]),
    }),
    gauge({
      name: 'chain_money_unproven',
      help: 'Payments at whose addresses a balance audit found more than anybody can prove.',
      labelNames: ['network'],
      read: async () => (await live()).map(({ network, unproven }) => [{ network }, unproven]),
    }),
  ];
}

const ofProviders =
  (valueOf: (provider: Provider) => number | null) =>
  ({ network, providers }: LiveNetworkRow): [Record<string, string>, number][] =>
    providers.flatMap((provider) => {
      const value = valueOf(provider);
      return value === null ? [] : [[{ network, provider: provider.name }, value]];
    });
