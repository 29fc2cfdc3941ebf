import { expect } from 'chai';
import { DatabaseTime } from '../../../src/platform/database-clock/time.ts';

const BEGIN = Date.UTC(2026, 0, 31, 12);

/** A machine: its clocks, and the time it makes of the database's. */
function machine(systemAheadMs = 0) {
  let system = BEGIN + systemAheadMs;
  let monotonic = 5_000;
  let database = BEGIN;
  const time = new DatabaseTime({ system: () => system, monotonic: () => monotonic });
  return {
    time,
    pass: (ms: number) => {
      system += ms;
      monotonic += ms;
      database += ms;
    },
    setSystemClock: (byMs: number) => (system += byMs),
    setDatabaseClock: (byMs: number) => (database += byMs),
    /** A round trip that takes `2 * errorMs`, and whose answer was read `lateMs` after its middle. */
    measure: (errorMs = 0, lateMs = 0) => time.correct({ at: monotonic, time: database + lateMs, errorMs }),
    /** How far the time is ahead of the database's, in milliseconds. */
    error: () => time.now().getTime() - database,
  };
}

describe('the time of the database in a process', () => {
  it('is the system clock until it is measured, then that of the database at once', () => {
    const { time, measure, error } = machine(600_000);
    expect(time.isMeasured).to.equal(false);
    expect(error()).to.equal(600_000);
    expect(time.offsetMs()).to.equal(0);
    expect(measure()).to.equal(0);
    expect(error()).to.equal(0);
    expect(time.offsetMs()).to.equal(600_000);
  });

  it('does not change when the system clock is set, but knows the new offset', () => {
    const { time, measure, error, pass, setSystemClock } = machine();
    measure();
    pass(1_000);
    setSystemClock(-3_600_000);
    pass(1_000);
    expect(error()).to.equal(0);
    expect(time.offsetMs()).to.equal(-3_600_000);
  });

  for (const byMs of [20_000, 500, -500, -20_000, -30_000])
    it(`is corrected by ${byMs} ms without a step, and never goes back`, () => {
      const { time, measure, error, pass, setDatabaseClock } = machine();
      measure();
      setDatabaseClock(byMs);
      expect(measure()).to.equal(byMs);
      expect(error(), 'nothing at once').to.equal(-byMs);
      expect(time.offsetMs(), 'the system clock is compared with what was measured').to.equal(-byMs);
      let before = time.now();
      for (let i = 0; i < 30; i += 1) {
        pass(Math.abs(byMs) / 15);
        expect(time.now().getTime()).to.be.at.least(before.getTime());
        before = time.now();
      }
      expect(error(), 'after twice the difference').to.be.closeTo(0, 1);
    });

  for (const byMs of [31_000, -600_000])
    it(`is corrected by ${byMs} ms in a step`, () => {
      const { measure, error, setDatabaseClock } = machine();
      measure();
      setDatabaseClock(byMs);
      expect(measure()).to.equal(byMs);
      expect(error()).to.equal(0);
    });

  it('is corrected only by what a measurement proves', () => {
    const { measure, error, pass } = machine();
    measure();
    expect(measure(400, 300), 'a slow round trip').to.equal(0);
    expect(measure(400, 500)).to.equal(100);
    pass(200);
    expect(error()).to.equal(100);
  });

  it('takes up a new correction in the middle of another one', () => {
    const { time, measure, error, pass, setDatabaseClock } = machine();
    measure();
    setDatabaseClock(-10_000);
    measure();
    pass(10_000);
    expect(error()).to.equal(5_000);
    setDatabaseClock(10_000);
    const before = time.now();
    measure();
    expect(time.now().getTime()).to.equal(before.getTime());
    pass(10_000);
    expect(error()).to.equal(0);
  });
});
