import pg from 'pg';
import { findCaller } from '../../../src/domain/merchants/api-keys.ts';
import { hashApiKey } from '../../../src/platform/values/ids.ts';
import { createHarness, type Harness } from '../harness.ts';
import { openShop } from '../shop.ts';
import type { ActorName, RacedPayment } from './actors.ts';
import { outcomeOf } from './outcome.ts';
import { watchOutside, type Outside } from './outside.ts';
import type { Pause } from './pausable-db.ts';
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
  /**
   * Runs the pair in both orders, and then with each pause that `isChosen`. Before a COMMIT, `second` waits
   * for a lock inside its statement, while all that `first` did commits.
   */
  race(
    state: string,
    first: ActorName,
    second: ActorName,
    isChosen: (pause: Pause) => boolean,
  ): Promise<Raced[]>;
  close(): Promise<void>;
}

export async function startRaceCourse(): Promise<RaceCourse> {
  const harness = await createHarness();
  const outside = watchOutside(harness.adapters);
  const caller = await findCaller(harness.ctx.db, hashApiKey(harness.merchant.apiKey));
  if (caller === null) throw new Error("the test's merchant does not exist");
  const racing = { ctx: harness.ctx, adapters: outside.adapters };
  const racers = await openRacers(racing, caller);
  const connection = new pg.Client({ connectionString: harness.ctx.config.databaseUrl });
  await connection.connect();
  const snapshots = await openSnapshots(connection);
  const payments = await prepareStates(harness, snapshots);
  const outcomes = new Outcomes(racing, snapshots, outside);
  const restore = async (state: string) => {
    await snapshots.restore(state);
    outside.forget();
  };
  const inTurn = new Map<string, Promise<Turns>>();

  const runInTurn = async (state: string, first: ActorName, second: ActorName): Promise<Turns> => {
    const payment = paymentIn(payments, state);
    await restore(state);
    const { ended, sent } = await racers.inTurn(first, second, payment);
    const { outcome, asked, broken } = await outcomes.of(payment);
    return { sent, faults: [...faultsOf(ended), ...broken], outcome, asked };
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
    },
  };
}

/**
 * Returns what is wrong with an outcome, beside those of the orders that are possible. What left the service
 * is compared where there is one: in a race it may leave before what shows that it should not.
 */
function unlike({ outcome, asked, broken }: Outcome, orders: readonly Turns[], isOne: boolean): string[] {
  const outcomes = orders.map((order) => order.outcome);
  const faults = [...broken];
  if (!outcomes.includes(outcome))
    faults.push(`became ${outcome}, which no order leads to: ${outcomes.join(', ')}`);
  const [expected] = orders.map((order) => order.asked);
  if (isOne && asked !== expected) faults.push(`asked for "${asked}", in order for "${expected}"`);
  return faults;
}

/** Two actors, one after the other: the statements that the first sent, and what the payment became. */
interface Turns {
  readonly sent: readonly string[];
  readonly faults: readonly string[];
  readonly outcome: string;
  readonly asked: string;
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
  /** What left the service until then. */
  readonly asked: string;
  /** The invariant that does not hold; empty: all do. */
  readonly broken: readonly string[];
}

/** What payments become; from equal databases the same, so it is found out once for each digest. */
class Outcomes {
  readonly #racing: Pick<Harness, 'ctx' | 'adapters'>;
  readonly #snapshots: Snapshots;
  readonly #outside: Outside;
  readonly #known = new Map<string, Outcome>();

  constructor(racing: Pick<Harness, 'ctx' | 'adapters'>, snapshots: Snapshots, outside: Outside) {
    this.#racing = racing;
    this.#snapshots = snapshots;
    this.#outside = outside;
  }

  async of(payment: RacedPayment): Promise<Outcome> {
    const digest = `${await this.#snapshots.digest()} ${this.#asked()}`;
    const outcome = this.#known.get(digest) ?? (await this.#find(payment));
    this.#known.set(digest, outcome);
    return outcome;
  }

  async #find(payment: RacedPayment): Promise<Outcome> {
    try {
      const outcome = await outcomeOf(this.#racing, payment);
      const broken = await this.#outside.unknownTo(this.#racing.ctx.db);
      return { outcome, asked: this.#asked(), broken };
    } catch (error) {
      return { outcome: 'a broken invariant', asked: this.#asked(), broken: [String(error)] };
    }
  }

  /** The digest leaves out random ids, and so does what was asked for under them. */
  #asked(): string {
    return this.#outside.asked.map((what) => what.replace(/ref_\w+/, '')).join();
  }
}
