import type { Harness } from '../harness.ts';
import type { Shop } from '../shop.ts';
import type { Actor, RacedPayment } from './actors.ts';
import type { SideEffects } from './side-effects.ts';

/** Sets up a payment on which some actors have work to do at the same time. */
export interface RacedState<Raced = RacedPayment, Name extends string = string> {
  /** The actors that have work here. */
  readonly actors: readonly Name[];
  /** `receiver` is the URL of a receiver that answers everything with 200. */
  prepare(harness: Harness, shop: Shop, receiver: string): Promise<Raced>;
}

/** Actors that race with each other, and the states in which they meet. */
export interface Suite<Raced> {
  readonly actors: Readonly<Record<string, Actor<Raced>>>;
  readonly states: Readonly<Record<string, RacedState<Raced>>>;
  /** Whether also those actors meet that have no state in common. */
  readonly meetsAll: boolean;
  /** Actors that never act twice, and so do not meet themselves. */
  readonly once: readonly string[];
  /** Actors that never wait for a lock: they skip what others have locked. */
  readonly neverWait: readonly string[];
  /** `npm test` races one of so many pairs, `npm run test:races` all. */
  readonly oneOf: number;
  /** Changes the database before all states. */
  readonly prepare?: (harness: Harness, receiver: string) => Promise<void>;
  /**
   * Does all work that is due, and returns what the payment has become. Throws where an invariant does not
   * hold.
   */
  outcomeOf(racing: Pick<Harness, 'ctx' | 'adapters'>, payment: Raced, effects: SideEffects): Promise<string>;
}
