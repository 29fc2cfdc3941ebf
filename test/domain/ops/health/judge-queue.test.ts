import { expect } from 'chai';
import { judgeQueue, NOTHING_SEEN, type QueueView } from '../../../../src/domain/ops/health/judge-queue.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';

const T0 = new Date('2026-01-31T12:00:00.000Z');
const LOOK_SECONDS = 5;

/** One worker that has nothing to do. */
const IDLE: QueueView = {
  due: 0,
  late: 0,
  oldestDueAt: null,
  unleasedSince: null,
  failing: 0,
  isReported: true,
  workers: 1,
  running: 0,
  slow: 0,
  finishedAt: null,
};

/** Looks every 5 s at what the queue is then; returns the second of the first reason, and that reason. */
function firstReason(
  seconds: number,
  viewAt: (now: Date, second: number) => Partial<QueueView>,
): { second: number; reason: string } | null {
  let watch = NOTHING_SEEN;
  for (let second = 0; second <= seconds; second += LOOK_SECONDS) {
    const now = addSeconds(T0, second);
    const judged = judgeQueue({ ...IDLE, ...viewAt(now, second) }, watch, now);
    if (judged.reasons[0] !== undefined) return { second, reason: judged.reasons[0] };
    watch = judged.watch;
  }
  return null;
}

describe('judging a queue', () => {
  it('finds within 60 s that nothing ends while jobs are due, leases or not', () => {
    const found = firstReason(60, () => ({ due: 20, oldestDueAt: T0 }));
    expect(found).to.deep.equal({
      second: 35,
      reason: '20 jobs are due, the oldest for 35 s, and none has been finished: is the queue paused?',
    });
  });

  it('finds it also where every new event makes the job due again a moment ago', () => {
    expect(firstReason(60, (now) => ({ due: 1, oldestDueAt: now }))?.second).to.equal(35);
  });

  it('says that no worker serves a queue', () => {
    const found = firstReason(60, () => ({ due: 1, oldestDueAt: T0, workers: 0 }));
    expect(found?.reason).to.include('no worker serves this queue');
  });

  it('finds that jobs fail and none succeeds', () => {
    const found = firstReason(60, () => ({ failing: 3 }));
    expect(found).to.deep.equal({ second: 35, reason: '3 jobs fail again and again, and none succeeds' });
  });

  it('finds a job that waits for a minute in vain while others end', () => {
    const view = (now: Date) => ({
      due: 5,
      late: 1,
      oldestDueAt: addSeconds(T0, -60),
      running: 5,
      finishedAt: now,
    });
    expect(firstReason(60, view)?.reason).to.equal('1 job is late, the oldest by 95 s');
  });

  it('finds a job that no relay takes as soon as it is late', () => {
    const view = (second: number) => ({ due: 1, running: 1, unleasedSince: addSeconds(T0, -second) });
    expect(firstReason(0, () => view(60))).to.equal(null);
    expect(firstReason(0, () => view(61))?.reason).to.include('no worker takes it');
  });

  it('judges workers that report nothing, those of the release before, by lateness alone', () => {
    const isReported = false;
    expect(firstReason(60, (now) => ({ isReported, due: 5, failing: 5, oldestDueAt: now }))).to.equal(null);
    const late = () => ({ isReported, due: 5, late: 5, oldestDueAt: T0 });
    expect(firstReason(60, late)?.reason).to.include('are late');
  });

  it('finds runs that hang, after ten minutes', () => {
    const view = { due: 64, running: 64, slow: 64, workers: 1, oldestDueAt: T0 };
    expect(firstReason(600, () => view)).to.equal(null);
    expect(firstReason(700, () => view)?.second).to.equal(605);
  });

  it('is silent for a queue that is consumed, however much is due', () => {
    const view = (now: Date) => ({ due: 1_000, oldestDueAt: now, running: 64, finishedAt: now });
    expect(firstReason(3_600, view)).to.equal(null);
  });

  it('is silent for one long run, and for a short one now and then', () => {
    const long = { due: 1, late: 1, oldestDueAt: T0, running: 1, slow: 1 };
    expect(firstReason(600, () => long)).to.equal(null);
    expect(firstReason(3_600, (_, second) => ({ due: second % 10 === 0 ? 1 : 0 }))).to.equal(null);
  });

  it('is silent for two jobs that cannot be done, and for many while others succeed', () => {
    expect(firstReason(3_600, () => ({ failing: 2 }))).to.equal(null);
    expect(firstReason(3_600, (now) => ({ failing: 50, finishedAt: now }))).to.equal(null);
  });

  it('does not count the time in which it did not look', () => {
    const now = addSeconds(T0, 3_600);
    const view = { ...IDLE, due: 1, oldestDueAt: T0 };
    const { watch } = judgeQueue(view, NOTHING_SEEN, T0);
    expect(judgeQueue(view, watch, now).reasons).to.deep.equal([]);
  });
});
