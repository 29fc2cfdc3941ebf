import type { Harness } from '../harness.ts';
import type { RacedPayment } from './actors.ts';
import type { SideEffects } from './side-effects.ts';
import type { Snapshots } from './snapshots.ts';
import type { Suite } from './suite.ts';

/** What became of a race. */
export interface Outcome {
  readonly outcome: string;
  /** What left the service until then. */
  readonly asked: string;
  /** How many requests of webhooks left. */
  readonly requests: number;
  /** The invariant that does not hold; empty: all do. */
  readonly broken: readonly string[];
}

/** What payments become; from equal databases the same, so it is found out once for each digest. */
export class Outcomes<Raced extends RacedPayment> {
  readonly #suite: Pick<Suite<Raced>, 'outcomeOf'>;
  readonly #racing: Pick<Harness, 'ctx' | 'adapters'>;
  readonly #snapshots: Snapshots;
  readonly #effects: SideEffects;
  readonly #known = new Map<string, Outcome>();

  constructor(
    suite: Pick<Suite<Raced>, 'outcomeOf'>,
    racing: Pick<Harness, 'ctx' | 'adapters'>,
    snapshots: Snapshots,
    effects: SideEffects,
  ) {
    this.#suite = suite;
    this.#racing = racing;
    this.#snapshots = snapshots;
    this.#effects = effects;
  }

  /** Does the work that is due, and finds out. */
  async of(payment: Raced): Promise<Outcome> {
    const digest = `${await this.#snapshots.digest()} ${this.#asked()} ${this.#effects.events.length}`;
    const outcome = this.#known.get(digest) ?? (await this.#find(payment));
    this.#known.set(digest, outcome);
    return outcome;
  }

  async #find(payment: Raced): Promise<Outcome> {
    try {
      const outcome = await this.#suite.outcomeOf(this.#racing, payment, this.#effects);
      const broken = await this.#effects.unknownTo(this.#racing.ctx.db);
      return { outcome, asked: this.#asked(), requests: this.#effects.events.length, broken };
    } catch (error) {
      return { outcome: 'a broken invariant', asked: this.#asked(), requests: 0, broken: [String(error)] };
    }
  }

  /** The digest leaves out random ids, and so does what was asked for under them. */
  #asked(): string {
    return this.#effects.asked.map((what) => what.replace(/ref_\w+/, '')).join();
  }
}
