import { expect } from 'chai';
import {
  acceptsMoney,
  allows,
  dependsOnChain,
  EVENT_TYPES,
  EXCEPTIONS,
  isOpen,
  isProcessing,
  isRefundable,
  isSettled,
  STATUSES,
  TRANSITIONS,
  type Status,
  type Trigger,
  type Transition,
} from '../../../../src/domain/payments/lifecycle/states.ts';
import { tableOf } from '../../../support/documents.ts';

/** The contract's table ("Status and transitions"): trigger | from | to | event. */
const CONTRACT = tableOf('docs/contract.md', 'trigger').map(
  ([trigger = '', from = '', to = '', event = '']) =>
    [trigger, from.replaceAll(',', ''), to === 'unchanged' ? null : to, event] as const,
);

/** Where a status and a transition state the same fact, the traits and the transitions must agree. */
const ASKED_OF_BOTH = {
  deadline_passed: isOpen,
  transfer_seen: acceptsMoney,
  transfer_lost: dependsOnChain,
  all_lost: dependsOnChain,
  block_reorganised: dependsOnChain,
  refunded_in_full: isRefundable,
  refunded_in_part: isSettled,
  settled: isProcessing,
} as const satisfies Partial<Record<Trigger, (status: Status) => boolean>>;

describe('the table of transitions', () => {
  it('has the triggers of the contract and no others', () => {
    expect(Object.keys(TRANSITIONS)).to.deep.equal(CONTRACT.map(([trigger]) => trigger));
  });

  for (const [trigger, from, to, event] of CONTRACT)
    it(`${trigger}: from ${from === '' ? 'nothing' : from} to ${to ?? 'the same'}, reports ${event}`, () => {
      const transition: Transition = TRANSITIONS[trigger as Trigger];
      expect(transition).to.deep.equal({ from: from === '' ? [] : from.split(' '), to, event });
      for (const status of STATUSES)
        expect(allows(status, trigger as Trigger), `${trigger} from ${status}`).to.equal(
          from.split(' ').includes(status),
        );
    });

  it('reaches every status and reports every event type', () => {
    const transitions: Transition[] = Object.values(TRANSITIONS);
    expect(new Set(transitions.map(({ to }) => to))).to.deep.equal(new Set([...STATUSES, null]));
    expect(new Set(transitions.map(({ event }) => event))).to.deep.equal(new Set(EVENT_TYPES));
  });

  for (const [trigger, predicate] of Object.entries(ASKED_OF_BOTH))
    it(`${trigger} may move the payments whose status says so`, () => {
      for (const status of STATUSES)
        expect(predicate(status), status).to.equal(allows(status, trigger as Trigger));
    });

  it('has no transition out of REFUNDED to another status', () => {
    const possible = CONTRACT.filter(([trigger]) => allows('REFUNDED', trigger as Trigger));
    expect(possible.map(([trigger, , to]) => [trigger, to])).to.deep.equal([
      ['refunded_in_full', 'REFUNDED'],
      ['funds_received', null],
    ]);
  });

  it('has the exceptions of the contract', () => {
    expect(EXCEPTIONS).to.deep.equal(['underpaid', 'overpaid', 'late', 'reorged', 'replaced']);
  });
});
