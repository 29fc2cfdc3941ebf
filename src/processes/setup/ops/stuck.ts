import { reconcileOnce } from '../../../domain/ops/reconcile.ts';
import { listStuck, releaseParked, stuckText, type Which } from '../../../domain/ops/stuck.ts';
import { requeue } from '../../../domain/ops/requeue.ts';
import { OpsUsageError, type OpsCommand, type OpsValues } from './command.ts';

const WHICH = {
  job: { type: 'string', value: 'JOB', meaning: 'only jobs of this name, for example refund.send' },
  key: { type: 'string', value: 'KEY', meaning: 'only the job of this key: the id of what it is about' },
} as const;

function whichOf(values: OpsValues): Which {
  return { job: values.text('job'), key: values.text('key') };
}

export const stuckCommand: OpsCommand = {
  summary: 'lists the jobs that failed too often in a row, since when, and why',
  options: {
    ...WHICH,
    release: { type: 'boolean', meaning: 'those that are parked are due again, with no failures' },
  },
  changes: (values) => values.has('release'),
  async run({ db }, values) {
    const which = whichOf(values);
    if (!values.has('release')) {
      const stuck = await listStuck(db, which);
      return { facts: { stuck }, text: stuckText(stuck) };
    }
    const released = await releaseParked(db, which);
    const lines = released.map(({ job, key }) => `released  ${job}  ${key}`);
    return {
      facts: { released },
      text: lines.length === 0 ? 'No job was parked.' : lines.join('\n'),
      changed: { release: true, ...which, released: released.length },
    };
  },
};

export const requeueCommand: OpsCommand = {
  summary: 'makes jobs due now that are parked, wait after a failure, or are leased by a worker that is gone',
  description:
    'It needs one of its options. Jobs that are due later by their own time, as an expiry, keep that time. ' +
    'A job that a worker runs at the moment may run twice, which changes nothing: handlers are idempotent.',
  options: {
    ...WHICH,
    payment: {
      type: 'string',
      value: 'ID',
      meaning: 'the jobs of a payment, its refunds, events and receipts',
    },
  },
  changes: () => true,
  async run(ctx, values) {
    const which = { ...whichOf(values), payment: values.text('payment') };
    if (Object.values(which).every((value) => value === null))
      throw new OpsUsageError('requeue needs --job, --key or --payment: see npm run ops -- requeue --help.');
    const requeued = await requeue(ctx, which);
    const lines = requeued.map(({ job, key, was }) => `requeued  ${job}  ${key}  it was ${was}`);
    return {
      facts: { requeued },
      text: lines.length === 0 ? 'No such job was parked, retried or leased.' : lines.join('\n'),
      changed: { ...which, requeued: requeued.length },
    };
  },
};

export const reconcileCommand: OpsCommand = {
  summary: 'schedules jobs that payments, refunds, deliveries and receipts need and lack',
  options: {},
  changes: () => true,
  async run(ctx) {
    const restored = await reconcileOnce(ctx);
    return {
      facts: { restored },
      text: `${restored} jobs were missing and are scheduled again.`,
      changed: { restored },
    };
  },
};
