import { SALE_REASONS } from '../../../domain/exchange/port.ts';
import { durationText } from '../../../domain/ops/status/section.ts';
import {
  decideSale,
  listUnsold,
  type SaleDecision,
  type UnsoldSale,
} from '../../../domain/payments/sales/decide.ts';
import { isHeld } from '../../../domain/payments/sales/states.ts';
import { reconcileOnce } from '../../../domain/ops/reconcile.ts';
import { listStuck, releaseParked, stuckText, type Which } from '../../../domain/ops/stuck.ts';
import { requeue } from '../../../domain/ops/requeue.ts';
import { OpsUsageError, type OpsCommand, type OpsValues } from '../shared/command.ts';

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
  summary: 'schedules jobs that payments, sales, refunds, deliveries and receipts need and lack',
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

const PAYMENT = {
  type: 'string',
  value: 'ID',
  meaning: 'the payment whose money waits to be sold',
  isNeeded: true,
} as const;

const salesListCommand: OpsCommand = {
  summary: 'lists what waits to be sold at exchanges, since when, and why',
  description:
    'Exit code 1 when something waits for a person: `sales retry` tries it again, `sales settle-as-received` ' +
    'settles it in the coin that came.',
  options: {
    merchant: { type: 'string', value: 'ID', meaning: 'only sales of this merchant' },
    held: { type: 'boolean', meaning: 'only what waits for a person' },
  },
  changes: () => false,
  async run({ db, systemNow }, values) {
    const asked = { merchantId: values.text('merchant'), onlyHeld: values.has('held') };
    const sales = await listUnsold(db, asked);
    return {
      facts: { sales },
      text: sales.length === 0 ? 'Nothing waits to be sold.' : textOf(sales, systemNow()),
      isBad: sales.some(({ status }) => isHeld(status)),
    };
  },
};

const salesRetryCommand = decision(
  'retry',
  'tries again to sell what came for a payment, from the deposit on',
  'What was sold already is not sold again: an order whose end is not known is looked up first.',
);

const salesSettleCommand = decision(
  'as_received',
  'settles what of a payment is not sold in the coin that came, at the exchange or wherever it is',
  'What was sold already stays sold: an order whose end is not known is looked up first. The payment then says ' +
    'settlement mode as_received.',
);

/** What waits to be sold at exchanges, and the two doors for a person. */
export const SALE_COMMANDS: Readonly<Record<string, OpsCommand>> = {
  'sales list': salesListCommand,
  'sales retry': salesRetryCommand,
  'sales settle-as-received': salesSettleCommand,
};

function decision(what: SaleDecision, summary: string, description: string): OpsCommand {
  return {
    summary,
    description,
    options: { payment: PAYMENT },
    changes: () => true,
    async run(ctx, values) {
      const payment = values.text('payment') ?? '';
      const count = await decideSale(ctx, payment, what);
      if (count === 0) throw new OpsUsageError(`Nothing of ${payment} waits to be sold: see sales list.`);
      return {
        facts: { payment, decision: what, sales: count },
        text: `${payment}: decided. A worker does it within seconds.`,
        changed: { payment, decision: what, sales: count },
      };
    },
  };
}

function textOf(sales: readonly UnsoldSale[], now: Date): string {
  const age = (at: Date) => durationText(Math.max(0, (now.getTime() - at.getTime()) / 1_000));
  return sales
    .map((sale) => {
      const { payment_id, merchant_id, status, coin, network, amount, sold, proceeds, reason } = sale;
      const lines = [
        `${status}  ${payment_id}  ${merchant_id}  ${amount} ${coin} on ${network}, for ${age(sale.created_at)}`,
        ...(Number(sold) === 0 ? [] : [`sold ${sold} for ${proceeds}, before the fee`]),
        ...(reason === null
          ? []
          : [`${reason}: ${SALE_REASONS[reason]}${sale.detail === null ? '' : ` (${sale.detail})`}`]),
        ...(sale.in_doubt === null ? [] : [`the end of the order ${sale.in_doubt} is not known yet`]),
      ];
      return lines.join('\n  ');
    })
    .join('\n');
}
