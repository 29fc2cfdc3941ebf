import { ACTORS, type ActorName } from './actors.ts';
import { STATES } from './states.ts';

/** An actor that is paused, and one that acts meanwhile, in one state of the payment. */
export interface Pair {
  readonly state: string;
  readonly first: ActorName;
  readonly second: ActorName;
}

const NAMES = Object.keys(ACTORS) as ActorName[];

/**
 * Returns every ordered pair of actors, each with itself too: in every state where both have work and, if
 * there is none, in the first where the one that is paused has.
 */
export function allPairs(): Pair[] {
  const states = Object.entries(STATES);
  const meet = (first: ActorName, second: ActorName) =>
    states.some(([, { actors }]) => actors.includes(first) && actors.includes(second));
  const isFirstStateOf = (state: string, actor: ActorName) =>
    states.find(([, { actors }]) => actors.includes(actor))?.[0] === state;
  return states.flatMap(([state, { actors }]) =>
    actors.flatMap((first) =>
      NAMES.filter(
        (second) => actors.includes(second) || (isFirstStateOf(state, first) && !meet(first, second)),
      ).map((second) => ({ state, first, second })),
    ),
  );
}
