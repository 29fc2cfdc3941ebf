import { expect } from 'chai';
import { createHandlers } from '../../src/background/workers.ts';
import { createAdapters } from '../../src/domain/adapters.ts';
import { dispatchEvent } from '../../src/domain/outbox/jobs.ts';
import { createPayment } from '../../src/domain/payments/create.ts';
import { FREEZE_SECONDS, runFrozen, type FrozenClock } from '../../src/domain/sandbox/test-clock/freeze.ts';
import { simulateReceiver } from '../../src/domain/sandbox/scenarios/receiver.ts';
import type { Step } from '../../src/domain/sandbox/scenarios/schemas.ts';
import { runScript, type ScenarioRun } from '../../src/domain/sandbox/scenarios/steps.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import type { Context } from '../../src/platform/context.ts';
import { runOne, sql } from '../../src/platform/postgres/db.ts';
import type { Caller } from '../../src/platform/endpoint.ts';
import { ValidationError } from '../../src/platform/errors.ts';
import { SILENT } from '../../src/platform/log.ts';
import type { Terms } from './terms.ts';

const BEGIN = new Date('2026-01-01T00:00:00.000Z');

/** The service's own view of a payment, in one row. */
export interface Facts {
  readonly status: string;
  readonly sequence: number;
  readonly exceptions: string[];
  readonly received: string;
  readonly refunded: string;
  readonly settled: boolean;
  readonly paid: string | null;
  readonly events: readonly { sequence: number; event: string }[];
  readonly accounts: Readonly<Record<string, number>>;
  readonly entries: Readonly<Record<string, number>>;
  readonly due: number;
  readonly planned: number;
}

const readFacts = sql<Facts>(
  'model_facts',
  `SELECT status, sequence, exceptions, amount_received AS received, amount_refunded AS refunded, settled_at IS NOT NULL AS settled,
     actually_paid AS paid,
     (SELECT json_agg(json_build_object('sequence', e.sequence, 'event', replace(e.type, 'checkout.', '') || ' ' ||
        (e.body::json #>> '{data,checkout,status}')) ORDER BY e.sequence) FROM events e WHERE e.payment_id = p.id) AS events,
     (SELECT coalesce(json_object_agg(account, total), '{}') FROM (
        SELECT account, sum(amount) AS total FROM (
          SELECT to_account AS account, amount FROM ledger_entries WHERE payment_id = p.id
          UNION ALL SELECT from_account, -amount FROM ledger_entries WHERE payment_id = p.id) sides GROUP BY account) a) AS accounts,
     (SELECT coalesce(json_object_agg(kind, total), '{}') FROM (
        SELECT kind, sum(amount) AS total FROM ledger_entries WHERE payment_id = p.id GROUP BY kind) k) AS entries,
     (SELECT count(*)::int FROM scheduled_jobs WHERE test_clock = p.id AND run_at <= $2) AS due,
     (SELECT count(*)::int FROM scheduled_jobs WHERE test_clock = p.id) AS planned
   FROM payments p WHERE id = $1`,
);
/** Prevents dispatch: the model has no webhooks, and they would take a fifth of the time. */
export async function disableWebhooks({ db }: Context): Promise<void> {
  await db.raw(`
    CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER no_webhooks BEFORE INSERT ON scheduled_jobs FOR EACH ROW WHEN (NEW.job = '${dispatchEvent.name}')
      EXECUTE FUNCTION skip()`);
}

/** A payment of the real service, with its own test clock, on which scripts run. */
export interface ServicePayment {
  advanceTo(ms: number): Promise<void>;
  /** Runs a step at a time since the beginning; false when the service refuses it. */
  play(step: Step, ms: number): Promise<boolean>;
  facts(): Promise<Facts>;
}

/** Creates a payment and passes it to `work`. */
export async function withPayment<T>(
  shared: Context,
  caller: Caller,
  { cents, minutes, policy }: Terms,
  work: (payment: ServicePayment) => Promise<T>,
): Promise<T> {
  const clock = {
    offsetMs: BEGIN.getTime() - shared.systemNow().getTime(),
    frozenUntil: addSeconds(shared.systemNow(), FREEZE_SECONDS),
  };
  const ctx: Context = { ...shared, log: SILENT, now: () => BEGIN, testClock: { ...clock, id: '' } };
  const terms = {
    order_id: 'model',
    pay_amount: (cents / 100).toFixed(2),
    expiration_minutes: minutes,
    policy,
  };
  const control = { refusesConversion: false, seed: () => undefined };
  const receiver = simulateReceiver(() => BEGIN);
  const convert = () =>
    Promise.resolve(control.refusesConversion ? ('refused' as const) : ('converted' as const));
  const adapters = { ...createAdapters(shared.config), webhooks: receiver, exchange: { convert } };
  const { id } = JSON.parse((await createPayment(ctx, adapters, caller, terms, null)).text) as { id: string };
  return runFrozen(ctx, { ...clock, id }, createHandlers(adapters), (frozen) =>
    work(servicePayment(frozen, { frozen, caller, id, adapters, receiver, control })),
  );
}

function servicePayment({ ctx, ...frozen }: FrozenClock, stage: ScenarioRun): ServicePayment {
  const at = (ms: number) => new Date(BEGIN.getTime() + ms);
  return {
    advanceTo: (ms) => frozen.advanceTo(at(ms)),
    async play(step, ms) {
      try {
        await runScript(stage, at(ms), [step]);
        return true;
      } catch (error) {
        if (error instanceof ValidationError) return false;
        throw error;
      }
    },
    async facts() {
      const facts = await runOne(ctx.db, readFacts, [stage.id, ctx.now()]);
      expect(facts, 'the payment').to.not.equal(null);
      return facts as Facts;
    },
  };
}
