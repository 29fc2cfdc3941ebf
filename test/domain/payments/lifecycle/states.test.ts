import { expect } from 'chai';
import {
  allows,
  EVENT_TYPES,
  EXCEPTIONS,
  STATUSES,
  TRANSITIONS,
  type Trigger,
  type Transition,
} from '../../../../src/domain/payments/lifecycle/states.ts';

/** A copy of the contract's table ("Status and transitions"): trigger | from | to | event. */
const CONTRACT: readonly (readonly [trigger: string, from: string, to: string, event: string])[] = [
  ['created', '', 'WAITING', 'checkout.created'],
  ['transfer_seen', 'WAITING PENDING EXPIRED', 'PENDING', 'checkout.pending'],
  ['confirmed_in_full', 'PENDING', 'PROCESSING', 'checkout.processing'],
  ['settled', 'PROCESSING', 'SETTLED', 'checkout.settled'],
  ['block_reorganised', 'PENDING PROCESSING', 'PENDING', 'checkout.pending'],
  ['transfer_replaced', 'PENDING PROCESSING', 'FAILED', 'checkout.failed'],
  ['conversion_failed', 'PROCESSING', 'FAILED', 'checkout.failed'],
  ['deadline_passed', 'WAITING PENDING', 'EXPIRED', 'checkout.failed'],
  ['refunded_in_full', 'SETTLED EXPIRED FAILED', 'REFUNDED', 'checkout.refunded'],
  ['refunded_in_part', 'SETTLED', 'SETTLED', 'checkout.refunded'],
];

describe('the table of transitions', () => {
  it('has the triggers of the contract and no others', () => {
    expect(Object.keys(TRANSITIONS)).to.deep.equal(CONTRACT.map(([trigger]) => trigger));
  });

  for (const [trigger, from, to, event] of CONTRACT)
    it(`${trigger}: from ${from === '' ? 'nothing' : from} to ${to}, reports ${event}`, () => {
      const transition: Transition = TRANSITIONS[trigger as Trigger];
      expect(transition).to.deep.equal({ from: from === '' ? [] : from.split(' '), to, event });
      for (const status of STATUSES)
        expect(allows(status, trigger as Trigger), `${trigger} from ${status}`).to.equal(
          from.split(' ').includes(status),
        );
    });

  it('reaches every status and reports every event type of the specification', () => {
    const transitions: Transition[] = Object.values(TRANSITIONS);
    expect(new Set(transitions.map(({ to }) => to))).to.deep.equal(new Set(STATUSES));
    expect(new Set(transitions.map(({ event }) => event))).to.deep.equal(new Set(EVENT_TYPES));
  });

  it('has no transition out of REFUNDED', () => {
    expect(CONTRACT.filter(([trigger]) => allows('REFUNDED', trigger as Trigger))).to.deep.equal([]);
  });

  it('has the exceptions of the contract', () => {
    expect(EXCEPTIONS).to.deep.equal(['underpaid', 'overpaid', 'late', 'reorged', 'replaced']);
  });
});
