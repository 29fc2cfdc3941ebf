import { expect } from 'chai';
import {
  BACKLOG_THRESHOLD,
  CIRCUIT_OPENS_AFTER,
  INITIAL_CONCURRENCY,
  isFailingTooLong,
  MAX_CONCURRENCY,
  nextFlowControl,
  type FlowControl,
  type RequestResults,
} from '../../../../src/domain/webhooks/endpoints/flow-control.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';

const NOW = new Date('2026-01-31T12:00:00.000Z');
const FRESH: FlowControl = {
  concurrency_limit: INITIAL_CONCURRENCY,
  failures: 0,
  circuit_open_until: null,
  failing_since: null,
};
const after = (before: FlowControl, change: Partial<RequestResults>) =>
  nextFlowControl(before, {
    succeeded: 0,
    failed: 0,
    deferredTo: null,
    pendingCount: BACKLOG_THRESHOLD,
    now: NOW,
    firstDelaySeconds: 5,
    ...change,
  });
const secondsOf = (date: Date | null, since: Date) => ((date?.getTime() ?? NaN) - since.getTime()) / 1000;
/** The flow control after a probe that fails at the end of the circuit's delay, and the next delay. */
const probed = (open: FlowControl): [after: FlowControl, delay: number] => {
  const now = open.circuit_open_until ?? NOW;
  const next = after(open, { failed: 1, now });
  return [next, secondsOf(next.circuit_open_until, now)];
};

describe("an endpoint's flow control", () => {
  it('doubles the concurrency limit whenever requests succeed, up to 64', () => {
    const limits: number[] = [];
    let flowControl: FlowControl = { ...FRESH, concurrency_limit: 1 };
    for (let i = 0; i < 8; i += 1) {
      flowControl = after(flowControl, { succeeded: 3 });
      limits.push(flowControl.concurrency_limit);
    }
    expect(limits).to.deep.equal([2, 4, 8, 16, 32, 64, 64, 64]);
    expect(MAX_CONCURRENCY).to.equal(64);
  });

  it('keeps the limit when successes and failures come together, and resets the failures', () => {
    const failing = { ...FRESH, concurrency_limit: 16, failures: 7, failing_since: NOW };
    expect(after(failing, { succeeded: 1, failed: 9 })).to.deep.equal({ ...FRESH, concurrency_limit: 16 });
  });

  it('counts the failures of an endpoint that waits for a place at its origin, and goes on waiting', () => {
    const waiting = after(FRESH, { deferredTo: addSeconds(NOW, 2) });
    expect(waiting).to.deep.equal({ ...FRESH, circuit_open_until: addSeconds(NOW, 2) });
    const failing = after(waiting, { failed: 1 });
    expect(failing).to.deep.equal({ ...waiting, failures: 1, failing_since: NOW });
    expect(after(failing, { succeeded: 1 }).circuit_open_until).to.equal(null);
    const [burst, delay] = probed(after(waiting, { failed: 64 }));
    expect([burst.failures, delay]).to.deep.equal([CIRCUIT_OPENS_AFTER + 1, 10]);
  });

  it('keeps a circuit open for its whole delay, also where some found no place', () => {
    const open = after(FRESH, { failed: CIRCUIT_OPENS_AFTER, deferredTo: addSeconds(NOW, 1) });
    expect(open.circuit_open_until).to.deep.equal(addSeconds(NOW, 5));
    const deferred = after(open, { deferredTo: addSeconds(NOW, 6), now: addSeconds(NOW, 5) });
    expect(deferred).to.deep.equal({ ...open, circuit_open_until: addSeconds(NOW, 6) });
  });

  it('resets the limit after failures alone, and counts them from the first on', () => {
    const failing = after({ ...FRESH, concurrency_limit: 64 }, { failed: 2 });
    expect(failing).to.deep.equal({
      concurrency_limit: INITIAL_CONCURRENCY,
      failures: 2,
      circuit_open_until: null,
      failing_since: NOW,
    });
    expect(after(failing, { failed: 3, now: addSeconds(NOW, 60) })).to.deep.include({
      failures: 5,
      failing_since: NOW,
    });
  });

  it('is unchanged where no request ended', () => {
    const open = { concurrency_limit: 1, failures: 12, circuit_open_until: NOW, failing_since: NOW };
    expect(after(open, {})).to.deep.equal(open);
  });

  it('opens the circuit at the tenth failure in a row, not at the ninth', () => {
    expect(after(FRESH, { failed: CIRCUIT_OPENS_AFTER - 1 }).circuit_open_until).to.equal(null);
    expect(after(FRESH, { failed: CIRCUIT_OPENS_AFTER })).to.deep.equal({
      concurrency_limit: 1,
      failures: 10,
      circuit_open_until: addSeconds(NOW, 5),
      failing_since: NOW,
    });
  });

  it('opens no circuit without a backlog, and closes it once the backlog is gone', () => {
    expect(after(FRESH, { failed: 500, pendingCount: BACKLOG_THRESHOLD - 1 })).to.include({
      concurrency_limit: INITIAL_CONCURRENCY,
      circuit_open_until: null,
    });
    const open = after(FRESH, { failed: 10 });
    expect(
      after(open, { failed: 1, pendingCount: BACKLOG_THRESHOLD - 1, now: addSeconds(NOW, 5) }),
    ).to.include({
      concurrency_limit: INITIAL_CONCURRENCY,
      circuit_open_until: null,
    });
  });

  it('delays 5 s, 10 s, 20 s ... and at most a minute between two probes that fail', () => {
    let flowControl = after(FRESH, { failed: 10 });
    const delays = [secondsOf(flowControl.circuit_open_until, NOW)];
    for (let i = 0; i < 5; i += 1) {
      const [next, delay] = probed(flowControl);
      delays.push(delay);
      expect(next.concurrency_limit, 'one probe').to.equal(1);
      flowControl = next;
    }
    expect(delays).to.deep.equal([5, 10, 20, 40, 60, 60]);
    expect(probed({ ...flowControl, failures: 1_000_000 })[1]).to.equal(60);
  });

  it('does not prolong the delay for requests in flight, or failures before the backlog', () => {
    const open = after({ ...FRESH, concurrency_limit: 64 }, { failed: 20 });
    expect(open.circuit_open_until).to.deep.equal(addSeconds(NOW, 5));
    expect(after(open, { failed: 44, now: addSeconds(NOW, 1) })).to.deep.equal(open);
    const failing = after(FRESH, { failed: 300, pendingCount: 0 });
    expect(after(failing, { failed: 1 }).circuit_open_until).to.deep.equal(addSeconds(NOW, 5));
  });

  it('closes the circuit at the first success, and starts with two requests', () => {
    const open = after(FRESH, { failed: 10 });
    expect(after(open, { succeeded: 1 })).to.deep.equal({ ...FRESH, concurrency_limit: 2 });
  });

  it('is failing too long after five days of nothing but failure, and not a millisecond before', () => {
    const failing = after(FRESH, { failed: 1 });
    expect(isFailingTooLong(failing, addSeconds(NOW, 5 * 86_400 - 0.001))).to.equal(false);
    expect(isFailingTooLong(failing, addSeconds(NOW, 5 * 86_400))).to.equal(true);
    expect(isFailingTooLong(after(failing, { succeeded: 1 }), addSeconds(NOW, 9 * 86_400))).to.equal(false);
    expect(isFailingTooLong(FRESH, addSeconds(NOW, 9 * 86_400))).to.equal(false);
  });
});
