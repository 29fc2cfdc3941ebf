import pg from 'pg';
import { findCaller } from '../../../src/domain/merchants/api-keys.ts';
import { hashApiKey } from '../../../src/platform/values/ids.ts';
import { createHarness, type Harness } from '../harness.ts';
import { openShop } from '../shop.ts';
import { startReceiver } from '../receivers.ts';
import type { RacedPayment } from './actors.ts';
import { Outcomes, type Outcome } from './outcomes.ts';
import { recordEffects } from './side-effects.ts';
import type { Pause } from './pausable-db.ts';
import { openRacers, type Ended } from './race.ts';
import { openSnapshots, type Snapshots } from './snapshots.ts';
import type { Suite } from './suite.ts';

/** A race at one pause. */
export interface Raced {
  readonly didWait: boolean;
  /** What went wrong, in one line each; empty: nothing. */
  readonly faults: readonly string[];
}

/** A database with a payment in each state, to which it returns before each race. */
export interface RaceCourse {
  /**
   * Runs the pair in both orders, and then with each pause that `isChosen`. Before a COMMIT, `second` waits
   * for a lock inside its statement, while all that `first` did commits.
   */
  race(state: string, first: string, second: string, isChosen: (pause: Pause) => boolean): Promise<Raced[]>;
  close(): Promise<void>;
}

export async function startRaceCourse<Payment extends RacedPayment>(
  suite: Suite<Payment>,
): Promise<RaceCourse> {
  const receiver = await startReceiver();
  const harness = await createHarness();
  const effects = recordEffects(harness.adapters);
  const caller = await findCaller(harness.ctx.db, hashApiKey(harness.merchant.apiKey));
  if (caller === null) throw new Error("the test's merchant does not exist");
  const racing = { ctx: harness.ctx, adapters: effects.adapters };
  const racers = await openRacers(racing, caller, suite.actors);
  const connection = new pg.Client({ connectionString: harness.ctx.config.databaseUrl });
  await connection.connect();
  const snapshots = await openSnapshots(connection);
  const payments = await prepareStates(harness, snapshots, suite, receiver.url);
  const outcomes = new Outcomes(suite, racing, snapshots, effects);
  const restore = async (state: string) => {
    await snapshots.restore(state);
    effects.forget();
  };
  const inTurn = new Map<string, Promise<Turns>>();

  const runInTurn = async (state: string, first: string, second: string): Promise<Turns> => {
    const payment = paymentIn(payments, state);
    await restore(state);
    const { ended, sent } = await racers.inTurn(first, second, payment);
    const { broken, ...became } = await outcomes.of(payment);
    return { sent, faults: [...faultsOf(ended), ...broken], ...became };
  };
  const turnsOf = (state: string, first: string, second: string): Promise<Turns> => {
    const key = [state, first, second].join();
    const turns = inTurn.get(key) ?? runInTurn(state, first, second);
    inTurn.set(key, turns);
    return turns;
  };

  return {
    async race(state, first, second, isChosen) {
      const payment = paymentIn(payments, state);
      const [forth, back] = [await turnsOf(state, first, second), await turnsOf(state, second, first)];
      const raceAt = async (pause: Pause): Promise<Raced | null> => {
        await restore(state);
        const race = await racers.race(first, second, payment, pause);
        if (race === null) return null;
        // Who waited for the end of `first` acts after it: then that order is the only one.
        const isAfter = race.didWait && race.wasLast;
        const faults = [
          ...[forth, back].flatMap((turns) => turns.faults),
          ...faultsOf(race.ended),
          ...unlike(await outcomes.of(payment), isAfter ? [forth] : [forth, back], isAfter),
        ];
        const where = `${first}, paused before ${race.pausedBefore} (${pause.index}) for ${second}`;
        return { didWait: race.didWait, faults: faults.map((fault) => `${where}: ${fault}`) };
      };
      const raced: Raced[] = [];
      for (const isCommit of [false, true])
        for (let index = 0; index < forth.sent.length; index += 1) {
          if (!isChosen({ index, isCommit })) continue;
          const race = await raceAt({ index, isCommit });
          if (race === null) break;
          raced.push(race);
        }
      return raced;
    },
    async close() {
      await racers.close();
      await connection.end();
      await harness.close();
      await receiver.close();
    },
  };
}

/**
 * Returns what is wrong with an outcome, beside those of the orders that are possible. What left the service
 * is compared where there is one: in a race it may leave before what shows that it should not.
 */
function unlike(
  { outcome, asked, requests, broken }: Outcome,
  orders: readonly Turns[],
  isOne: boolean,
): string[] {
  const outcomes = orders.map((order) => order.outcome);
  const faults = [...broken];
  if (!outcomes.includes(outcome))
    faults.push(`became ${outcome}, which no order leads to: ${outcomes.join(', ')}`);
  const [expected] = orders;
  if (isOne && asked !== expected?.asked)
    faults.push(`asked for "${asked}", in order for "${expected?.asked}"`);
  // What is delivered while a redelivery is asked for need not be sent again for that.
  if (isOne && expected !== undefined && requests > expected.requests)
    faults.push(`sent ${requests} requests, in order ${expected.requests}`);
  return faults;
}

/** Two actors, one after the other: the statements that the first sent, and what the payment became. */
interface Turns extends Omit<Outcome, 'broken'> {
  readonly sent: readonly string[];
  readonly faults: readonly string[];
}

async function prepareStates<Payment>(
  harness: Harness,
  snapshots: Snapshots,
  { states, prepare }: Suite<Payment>,
  receiver: string,
): Promise<ReadonlyMap<string, Payment>> {
  const shop = await openShop(harness);
  const payments = new Map<string, Payment>();
  await prepare?.(harness, receiver);
  await snapshots.save('empty');
  for (const [name, state] of Object.entries(states)) {
    payments.set(name, await state.prepare(harness, shop, receiver));
    await snapshots.save(name);
    await snapshots.restore('empty');
  }
  return payments;
}

function paymentIn<Payment>(payments: ReadonlyMap<string, Payment>, state: string): Payment {
  const payment = payments.get(state);
  if (payment === undefined) throw new Error(`no payment is in the state "${state}"`);
  return payment;
}

function faultsOf(ended: readonly Ended[]): string[] {
  return ended.flatMap(({ actor, error }) =>
    error === null ? [] : [`${actor} threw ${error.message}${detailOf(error)}`],
  );
}

/** Who waits for whom, in a deadlock. */
function detailOf(error: Error): string {
  return 'detail' in error ? `: ${String(error.detail)}` : '';
}
