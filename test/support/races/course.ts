import pg from 'pg';
import { findCaller } from '../../../src/domain/merchants/api-keys.ts';
import { hashApiKey } from '../../../src/platform/values/ids.ts';
import { createHarness, type Harness } from '../harness.ts';
import { openShop } from '../shop.ts';
import type { ActorName, RacedPayment } from './actors.ts';
import { outcomeOf } from './outcome.ts';
import { openRacers, type Ended } from './race.ts';
import { openSnapshots, type Snapshots } from './snapshots.ts';
import { STATES } from './states.ts';

/** A race at one pause. */
export interface Raced {
  readonly didWait: boolean;
  /** What went wrong, in one line each; empty: nothing. */
  readonly faults: readonly string[];
}

/** A database with a payment in each state, to which it returns before each race. */
export interface RaceCourse {
  /** Runs the pair in both orders, and then with a pause before each statement that `isChosen`. */
  race(
    state: string,
    first: ActorName,
    second: ActorName,
    isChosen: (index: number) => boolean,
  ): Promise<Raced[]>;
  close(): Promise<void>;
}

export async function startRaceCourse(): Promise<RaceCourse> {
  const harness = await createHarness();
  const caller = await findCaller(harness.ctx.db, hashApiKey(harness.merchant.apiKey));
  if (caller === null) throw new Error("the test's merchant does not exist");
  const racers = await openRacers(harness, caller);
  const connection = new pg.Client({ connectionString: harness.ctx.config.databaseUrl });
  await connection.connect();
  const snapshots = await openSnapshots(connection);
  const payments = await prepareStates(harness, snapshots);
  const outcomes = new Outcomes(harness, snapshots);
  const inTurn = new Map<string, Promise<Turns>>();

  const runInTurn = async (state: string, first: ActorName, second: ActorName): Promise<Turns> => {
    const payment = paymentIn(payments, state);
    await snapshots.restore(state);
    const { ended, count } = await racers.inTurn(first, second, payment);
    const { outcome, broken } = await outcomes.of(payment);
    return { count, faults: [...faultsOf(ended), ...broken], outcome };
  };
  const turnsOf = (state: string, first: ActorName, second: ActorName): Promise<Turns> => {
    const key = [state, first, second].join();
    const turns = inTurn.get(key) ?? runInTurn(state, first, second);
    inTurn.set(key, turns);
    return turns;
  };

  return {
    async race(state, first, second, isChosen) {
      const payment = paymentIn(payments, state);
      const [forth, back] = [await turnsOf(state, first, second), await turnsOf(state, second, first)];
      const allowed = [forth.outcome, back.outcome];
      const raced: Raced[] = [];
      for (let index = 0; index < forth.count; index += 1) {
        if (!isChosen(index)) continue;
        await snapshots.restore(state);
        const race = await racers.race(first, second, payment, index);
        if (race === null) break;
        const faults = [...forth.faults, ...back.faults, ...faultsOf(race.ended)];
        const { outcome, broken } = await outcomes.of(payment);
        faults.push(...broken);
        if (!allowed.includes(outcome))
          faults.push(`became ${outcome}, which neither order leads to: ${allowed.join(', ')}`);
        const where = `${first}, paused before ${race.pausedBefore} (${index}) for ${second}`;
        raced.push({ didWait: race.didWait, faults: faults.map((fault) => `${where}: ${fault}`) });
      }
      return raced;
    },
    async close() {
      await racers.close();
      await connection.end();
      await harness.close();
    },
  };
}

/** Two actors, one after the other: how many statements the first sent, and what the payment became. */
interface Turns {
  readonly count: number;
  readonly faults: readonly string[];
  readonly outcome: string;
}

async function prepareStates(
  harness: Harness,
  snapshots: Snapshots,
): Promise<ReadonlyMap<string, RacedPayment>> {
  const shop = await openShop(harness);
  const payments = new Map<string, RacedPayment>();
  await snapshots.save('empty');
  for (const [name, state] of Object.entries(STATES)) {
    payments.set(name, await state.prepare(harness, shop));
    await snapshots.save(name);
    await snapshots.restore('empty');
  }
  return payments;
}

function paymentIn(payments: ReadonlyMap<string, RacedPayment>, state: string): RacedPayment {
  const payment = payments.get(state);
  if (payment === undefined) throw new Error(`no payment is in the state "${state}"`);
  return payment;
}

function faultsOf(ended: readonly Ended[]): string[] {
  return ended.flatMap(({ actor, error }) => (error === null ? [] : [`${actor} threw ${error.message}`]));
}

interface Outcome {
  readonly outcome: string;
  /** The invariant that does not hold; empty: all do. */
  readonly broken: readonly string[];
}

/** What payments become; from equal databases the same, so it is found out once for each digest. */
class Outcomes {
  readonly #harness: Harness;
  readonly #snapshots: Snapshots;
  readonly #known = new Map<string, Outcome>();

  constructor(harness: Harness, snapshots: Snapshots) {
    this.#harness = harness;
    this.#snapshots = snapshots;
  }

  async of(payment: RacedPayment): Promise<Outcome> {
    const digest = await this.#snapshots.digest();
    const outcome = this.#known.get(digest) ?? (await this.#find(payment));
    this.#known.set(digest, outcome);
    return outcome;
  }

  async #find(payment: RacedPayment): Promise<Outcome> {
    try {
      return { outcome: await outcomeOf(this.#harness, payment), broken: [] };
    } catch (error) {
      return { outcome: 'a broken invariant', broken: [String(error)] };
    }
  }
}
