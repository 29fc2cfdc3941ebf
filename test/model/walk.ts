import type { Policy } from '../../src/domain/payments/lifecycle/policy.ts';
import { converts } from '../../src/domain/payments/lifecycle/settlement.ts';
import type { SettlementMode } from '../../src/sdk/event-types.ts';
import { checkState } from './walk-check.ts';
import { endHolds, expire, requote } from './walk-clock.ts';
import { beginSettle, endSettle, refund } from './walk-moves.ts';
import { refundMoves } from './walk-refunds.ts';
import { applyChanges, possibleChanges, type Change } from './walk-page.ts';
import { canonical, initialState, LAST_CLASS, timeOf, type Slot, type State } from './walk-state.ts';

/** What can happen next: its name, and the state that follows. */
type Step = readonly [name: string, next: () => State | null];

/** The moves of one state: of the chain, the clock, the jobs that are due, and the merchant. */
function stepsOf(state: State, slots: readonly Slot[]): Step[] {
  const { clock, jobs, converting } = state;
  const isDue = (at: number | undefined) => at !== undefined && at <= timeOf(clock).getTime();
  const nameOf = ({ do: what, slot }: Change) => `${what} ${slot}`;
  const changes = possibleChanges(state, slots);
  // The pages that matter together: one transfer is lost while another comes or confirms.
  const pairs = changes
    .filter((one) => one.do === 'dropped')
    .flatMap((lost) =>
      changes
        .filter((other) => other.slot !== lost.slot && (other.do === 'seen' || other.do === 'confirmed'))
        .map((other) => [lost, other]),
    );
  const pages = [...changes.map((change) => [change]), ...pairs];
  return [
    ...pages.map((page): Step => [page.map(nameOf).join(' + '), () => applyChanges(state, page, slots)]),
    ...(clock < LAST_CLASS ? [['time passes', () => ({ ...state, clock: clock + 1 })] as Step] : []),
    ...(isDue(jobs.expire) ? [['expire', () => expire(state)] as Step] : []),
    ...(isDue(jobs.holds) ? [['end holds', () => endHolds(state)] as Step] : []),
    ...(isDue(jobs.requote) ? [['requote', () => requote(state)] as Step] : []),
    ...(converting.length > 0
      ? outcomesOf(state).map((out): Step => [out, () => endSettle(state, out)])
      : isDue(jobs.settle)
        ? [['settle', () => beginSettle(state)] as Step]
        : []),
    ...refundMoves(state),
    ['refund', () => refund(state)],
    // Once: a refund in part can be repeated without end.
    ...(state.refunded.length === 0 ? [['refund 1', () => refund(state, '1')] as Step] : []),
  ];
}

/** Where nothing is converted, nobody can refuse it. */
const outcomesOf = ({ payment }: State): readonly ('converted' | 'refused')[] =>
  converts(payment) ? ['converted', 'refused'] : ['converted'];

export interface Walk {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** Every reachable state was visited. */
  readonly isComplete: boolean;
}

interface Visited {
  readonly state: State;
  readonly before: Visited | null;
  readonly name: string;
}

/** What a payment is created with. */
export interface Terms {
  readonly policy: Policy;
  readonly settlement: SettlementMode;
}

/**
 * Walks breadth-first over every state that a payment with these terms reaches within `depth` steps when the
 * customer sends the transfers of `slots`, beginning after the steps of `way`, and checks each. Throws for
 * the first violation, with the shortest way to it.
 */
export function walk(
  { policy, settlement }: Terms,
  slots: readonly Slot[],
  depth: number,
  way: readonly string[] = [],
): Walk {
  const created: Visited = { state: initialState(policy, settlement), before: null, name: 'created' };
  const first = way.reduce((before, name): Visited => {
    const step = stepsOf(before.state, slots).find((one) => one[0] === name);
    const state = step?.[1]();
    if (!state) throw new Error(`${name} is impossible in ${before.state.payment.status}`);
    return { state, before, name };
  }, created);
  const known = new Set([canonical(first.state)]);
  let front = [first];
  let transitions = 0;
  let level = 0;
  for (; level < depth && front.length > 0; level += 1) {
    const following: Visited[] = [];
    for (const before of front)
      for (const [name, move] of stepsOf(before.state, slots)) {
        const next = checked(before, name, move, known);
        if (next === null) continue;
        transitions += 1;
        if (next === 'known') continue;
        following.push({ state: next, before, name });
      }
    front = following;
  }
  return { states: known.size, transitions, depth: level, isComplete: front.length === 0 };
}

/** Returns the state after a step, checked; null: the service refuses the step. */
function checked(
  before: Visited,
  name: string,
  move: () => State | null,
  known: Set<string>,
): State | 'known' | null {
  try {
    const next = move();
    if (next === null) return null;
    const key = canonical(next);
    if (known.has(key)) return 'known';
    known.add(key);
    checkState(next);
    return next;
  } catch (error) {
    const path = [name];
    for (let at: Visited | null = before; at !== null; at = at.before)
      path.unshift(`${at.name} (${at.state.payment.status})`);
    const { policy, settlement_mode } = before.state.payment;
    throw new Error(
      `${(error as Error).message}\n${settlement_mode} ${JSON.stringify(policy)}\n${path.join('\n')}`,
      {
        cause: error,
      },
    );
  }
}
