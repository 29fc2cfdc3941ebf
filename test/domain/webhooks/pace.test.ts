import { expect } from 'chai';
import {
  BACKLOG,
  CIRCUIT_OPENS_AFTER,
  FIRST_PACE,
  isGivenUp,
  MAX_PACE,
  paceAfter,
  type Pace,
  type PaceChange,
} from '../../../src/domain/webhooks/pace.ts';
import { addSeconds } from '../../../src/platform/clock.ts';

const NOW = new Date('2026-01-31T12:00:00.000Z');
const FRESH: Pace = { pace: FIRST_PACE, failures: 0, openUntil: null, failingSince: null };
const after = (before: Pace, change: Partial<PaceChange>) =>
  paceAfter(before, {
    succeeded: 0,
    failed: 0,
    waiting: BACKLOG,
    now: NOW,
    firstDelaySeconds: 5,
    ...change,
  });
const secondsOf = (date: Date | null, since: Date) => ((date?.getTime() ?? NaN) - since.getTime()) / 1000;
/** What becomes of a probe that fails when the circuit's pause is over, and how long it pauses then. */
const probed = (open: Pace): [after: Pace, pause: number] => {
  const now = open.openUntil ?? NOW;
  const next = after(open, { failed: 1, now });
  return [next, secondsOf(next.openUntil, now)];
};

describe("an endpoint's pace", () => {
  it('doubles whenever exchanges succeed, up to 64', () => {
    const paces: number[] = [];
    let pace: Pace = { ...FRESH, pace: 1 };
    for (let i = 0; i < 8; i += 1) {
      pace = after(pace, { succeeded: 3 });
      paces.push(pace.pace);
    }
    expect(paces).to.deep.equal([2, 4, 8, 16, 32, 64, 64, 64]);
    expect(MAX_PACE).to.equal(64);
  });

  it('stays where successes and failures come together, and forgets the failures', () => {
    const failing = { ...FRESH, pace: 16, failures: 7, failingSince: NOW };
    expect(after(failing, { succeeded: 1, failed: 9 })).to.deep.equal({ ...FRESH, pace: 16 });
  });

  it('goes back to the first after failures alone, and counts them from the first on', () => {
    const failing = after({ ...FRESH, pace: 64 }, { failed: 2 });
    expect(failing).to.deep.equal({ pace: FIRST_PACE, failures: 2, openUntil: null, failingSince: NOW });
    expect(after(failing, { failed: 3, now: addSeconds(NOW, 60) })).to.deep.include({
      failures: 5,
      failingSince: NOW,
    });
  });

  it('is untouched where nothing was exchanged', () => {
    const open = { pace: 1, failures: 12, openUntil: NOW, failingSince: NOW };
    expect(after(open, {})).to.deep.equal(open);
  });

  it('opens the circuit at the tenth failure in a row, not at the ninth', () => {
    expect(after(FRESH, { failed: CIRCUIT_OPENS_AFTER - 1 }).openUntil).to.equal(null);
    expect(after(FRESH, { failed: CIRCUIT_OPENS_AFTER })).to.deep.equal({
      pace: 1,
      failures: 10,
      openUntil: addSeconds(NOW, 5),
      failingSince: NOW,
    });
  });

  it('opens no circuit where nothing but a few retries wait, and closes it once they are few', () => {
    expect(after(FRESH, { failed: 500, waiting: BACKLOG - 1 })).to.include({
      pace: FIRST_PACE,
      openUntil: null,
    });
    const open = after(FRESH, { failed: 10 });
    expect(after(open, { failed: 1, waiting: BACKLOG - 1, now: addSeconds(NOW, 5) })).to.include({
      pace: FIRST_PACE,
      openUntil: null,
    });
  });

  it('pauses 5 s, 10 s, 20 s ... and at most a minute between two probes that fail', () => {
    let pace = after(FRESH, { failed: 10 });
    const pauses = [secondsOf(pace.openUntil, NOW)];
    for (let i = 0; i < 5; i += 1) {
      const [next, pause] = probed(pace);
      pauses.push(pause);
      expect(next.pace, 'one probe').to.equal(1);
      pace = next;
    }
    expect(pauses).to.deep.equal([5, 10, 20, 40, 60, 60]);
    expect(probed({ ...pace, failures: 1_000_000 })[1]).to.equal(60);
  });

  it('pauses no longer for what was in the air when the circuit opened, or failed before there was a backlog', () => {
    const open = after({ ...FRESH, pace: 64 }, { failed: 20 });
    expect(open.openUntil).to.deep.equal(addSeconds(NOW, 5));
    expect(after(open, { failed: 44, now: addSeconds(NOW, 1) })).to.deep.equal(open);
    const failing = after(FRESH, { failed: 300, waiting: 0 });
    expect(after(failing, { failed: 1 }).openUntil).to.deep.equal(addSeconds(NOW, 5));
  });

  it('closes the circuit at the first success, and begins with two exchanges', () => {
    const open = after(FRESH, { failed: 10 });
    expect(after(open, { succeeded: 1 })).to.deep.equal({ ...FRESH, pace: 2 });
  });

  it('has an endpoint given up after five days of nothing but failure, and not a millisecond before', () => {
    const failing = after(FRESH, { failed: 1 });
    expect(isGivenUp(failing, addSeconds(NOW, 5 * 86_400 - 0.001))).to.equal(false);
    expect(isGivenUp(failing, addSeconds(NOW, 5 * 86_400))).to.equal(true);
    expect(isGivenUp(after(failing, { succeeded: 1 }), addSeconds(NOW, 9 * 86_400))).to.equal(false);
    expect(isGivenUp(FRESH, addSeconds(NOW, 9 * 86_400))).to.equal(false);
  });
});
