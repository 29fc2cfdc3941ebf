import type { Suite } from './suite.ts';

/** An actor that is paused, and one that acts meanwhile, in one state of the payment. */
export interface Pair {
  readonly state: string;
  readonly first: string;
  readonly second: string;
}

/**
 * Returns every ordered pair of actors, each with itself too: in every state where both have work and, if
 * there is none and the suite wants these, in the first where the one that is paused has.
 */
export function allPairs<Raced>(suite: Suite<Raced>): Pair[] {
  const states = Object.entries(suite.states);
  const names = Object.keys(suite.actors);
  const meet = (first: string, second: string) =>
    states.some(([, { actors }]) => actors.includes(first) && actors.includes(second));
  const isFirstStateOf = (state: string, actor: string) =>
    states.find(([, { actors }]) => actors.includes(actor))?.[0] === state;
  return states.flatMap(([state, { actors }]) =>
    actors.flatMap((first) =>
      names
        .filter(
          (second) =>
            !(first === second && suite.once.includes(first)) &&
            (actors.includes(second) ||
              (suite.meetsAll && isFirstStateOf(state, first) && !meet(first, second))),
        )
        .map((second) => ({ state, first, second })),
    ),
  );
}
