import { expect } from 'chai';
import { DatabaseClock } from '../../../src/platform/database-clock/clock.ts';

const BEGIN = Date.UTC(2026, 0, 31, 12);

/** A machine: its clocks, and the time it makes of the database's. */
function machine(systemAheadMs = 0) {
  let system = BEGIN + systemAheadMs;
  let monotonic = 5_000;
  let database = BEGIN;
  const pass = (ms: number) => {
    system += ms;
    monotonic += ms;
    database += ms;
  };
  /** Of the round trips: their lengths, and how long after its middle each answer was read. */
  let trips: readonly (readonly [errorMs: number, lateMs: number])[] = [];
  let asked = 0;
  const clock = new DatabaseClock(
    {
      system: () => system,
      monotonic: () => monotonic,
      database: () => {
        const [errorMs, lateMs] = trips[asked % 4] ?? [0, 0];
        asked += 1;
        pass(errorMs);
        const time = database + lateMs;
        pass(errorMs);
        return Promise.resolve(time);
      },
    },
    () => undefined,
  );
  return {
    clock,
    pass,
    setSystemClock: (byMs: number) => (system += byMs),
    setDatabaseClock: (byMs: number) => (database += byMs),
    measure: (...taken: typeof trips) => {
      trips = taken;
      return clock.measure();
    },
    /** How far the time is ahead of the database's, in milliseconds. */
    error: () => clock.now().getTime() - database,
    offsetMs: () => Math.round(clock.offsetSeconds * 1_000),
  };
}

describe('the time of the database in a process', () => {
  it('is the system clock until it is measured, then that of the database at once', async () => {
    const { clock, measure, error, offsetMs } = machine(600_000);
    expect(clock.state).to.equal('unmeasured');
    expect(error()).to.equal(600_000);
    expect(offsetMs()).to.equal(0);
    await measure();
    expect(error()).to.equal(0);
    expect(offsetMs()).to.equal(600_000);
  });

  it('does not change when the system clock is set, but knows the new offset', async () => {
    const { measure, error, pass, setSystemClock, offsetMs } = machine();
    await measure();
    pass(1_000);
    setSystemClock(-3_600_000);
    pass(1_000);
    expect(error()).to.equal(0);
    expect(offsetMs()).to.equal(-3_600_000);
  });

  for (const byMs of [20_000, 500, -500, -20_000, -30_000])
    it(`is corrected by ${byMs} ms without a step, and never goes back`, async () => {
      const { clock, measure, error, pass, setDatabaseClock, offsetMs } = machine();
      await measure();
      setDatabaseClock(byMs);
      await measure();
      expect(error(), 'nothing at once').to.equal(-byMs);
      expect(offsetMs(), 'the system clock is compared with what was measured').to.equal(-byMs);
      let before = clock.now();
      for (let i = 0; i < 30; i += 1) {
        pass(Math.abs(byMs) / 15);
        expect(clock.now().getTime()).to.be.at.least(before.getTime());
        before = clock.now();
      }
      expect(error(), 'after twice the difference').to.be.closeTo(0, 1);
    });

  for (const byMs of [31_000, -600_000])
    it(`is corrected by ${byMs} ms in a step`, async () => {
      const { measure, error, setDatabaseClock } = machine();
      await measure();
      setDatabaseClock(byMs);
      await measure();
      expect(error()).to.equal(0);
    });

  it('is corrected only by what a measurement proves', async () => {
    const { measure, error, pass } = machine();
    const slow = (errorMs: number, lateMs: number) =>
      Array.from({ length: 4 }, () => [errorMs, lateMs] as const);
    await measure();
    await measure(...slow(400, 300));
    pass(200);
    expect(error(), 'a slow round trip').to.equal(0);
    await measure(...slow(400, 500));
    pass(200);
    expect(error()).to.equal(100);
  });

  it('is that of the quickest of four round trips', async () => {
    const { measure, error, offsetMs } = machine();
    await measure([400, 300], [50, -7], [90, 80], [300, -300]);
    expect(error()).to.equal(-7);
    expect(offsetMs()).to.equal(7);
  });

  it('takes up a new correction in the middle of another one', async () => {
    const { clock, measure, error, pass, setDatabaseClock } = machine();
    await measure();
    setDatabaseClock(-10_000);
    await measure();
    pass(10_000);
    expect(error()).to.equal(5_000);
    setDatabaseClock(10_000);
    const before = clock.now();
    await measure();
    expect(clock.now().getTime()).to.equal(before.getTime());
    pass(10_000);
    expect(error()).to.equal(0);
  });
});
