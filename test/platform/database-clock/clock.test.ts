import { expect } from 'chai';
import { DatabaseClock } from '../../../src/platform/database-clock/clock.ts';
import { clockFault, isReadyToServe, mayWork } from '../../../src/platform/database-clock/report.ts';

const BEGIN = Date.UTC(2026, 0, 31, 12);

/** A process on a machine, and a database that can be away. */
function process_(aheadSeconds: number) {
  let system = BEGIN + aheadSeconds * 1_000;
  let monotonic = 0;
  let database = BEGIN;
  let isAway = false;
  let asked = 0;
  const logged: string[] = [];
  const clock = new DatabaseClock(
    {
      system: () => system,
      monotonic: () => monotonic,
      database: () => {
        asked += 1;
        return isAway ? Promise.reject(new Error('away')) : Promise.resolve(database);
      },
    },
    (level, message) => logged.push(`${level}: ${message}`),
  );
  return {
    clock,
    logged,
    /** Each asks four times. */
    measurements: () => Math.ceil(asked / 4),
    setSystemClock: (seconds: number) => (system += seconds * 1_000),
    setDatabaseClock: (seconds: number) => (database += seconds * 1_000),
    setAway: (away: boolean) => (isAway = away),
    /** The machine sleeps: its monotonic clock stands still. */
    sleep: (seconds: number) => {
      system += seconds * 1_000;
      database += seconds * 1_000;
    },
    pass: async (seconds: number) => {
      for (let i = 0; i < seconds; i += 1) {
        system += 1_000;
        monotonic += 1_000;
        database += 1_000;
        await clock.compareOnce();
      }
    },
    error: () => (clock.now().getTime() - database) / 1_000,
  };
}

describe('the clock of a process', () => {
  it('is not ready, and has no fault, before it is measured', () => {
    const { clock } = process_(600);
    expect(clock.state).to.equal('unmeasured');
    expect(clockFault(clock)).to.equal(null);
    expect(isReadyToServe(clock)).to.equal(false);
  });

  for (const [seconds, state] of [
    [0, 'right'],
    [2, 'right'],
    [-2.1, 'off'],
    [30, 'off'],
    [30.1, 'wrong'],
    [-600, 'wrong'],
  ] as const)
    it(`is ${state} when its machine's is ${seconds} s ahead`, async () => {
      const { clock, logged } = process_(seconds);
      await clock.measure();
      expect(clock.state).to.equal(state);
      expect(mayWork(clock)).to.equal(state !== 'wrong');
      expect(isReadyToServe(clock)).to.equal(state !== 'wrong');
      expect(clockFault(clock) === null).to.equal(state === 'right');
      expect(logged).to.have.lengthOf(state === 'right' ? 0 : 1);
      expect(clock.offsetSeconds).to.be.closeTo(seconds, 0.001);
    });

  it('says what an operator needs: how far, which way, what follows, and what to look at', async () => {
    const { clock } = process_(-600);
    await clock.measure();
    expect(clockFault(clock)).to.equal(
      "The system clock of this machine is 600.0 s behind the database server's: beyond 30 s the process refuses" +
        ' to work. Check the time synchronisation (NTP) of this machine, and the database' +
        " server's if every process reports this",
    );
  });

  it('is measured every 15 s, and within a second of a jump of the system clock', async () => {
    const { clock, measurements, pass, setSystemClock, error } = process_(0);
    await clock.measure();
    await pass(60);
    expect(measurements()).to.equal(5);
    await pass(1);
    setSystemClock(600);
    await pass(1);
    expect(measurements()).to.equal(6);
    expect(clock.state).to.equal('wrong');
    expect(error()).to.equal(0);
  });

  it('logs each change of its state once', async () => {
    const { clock, logged, pass, setSystemClock } = process_(0);
    await clock.measure();
    setSystemClock(600);
    await pass(120);
    expect(logged.map((line) => line.slice(0, 5))).to.deep.equal(['error']);
    setSystemClock(-590);
    await pass(60);
    setSystemClock(-10);
    await pass(60);
    expect(logged.map((line) => line.slice(0, 5))).to.deep.equal(['error', 'warn:', 'info:']);
  });

  it('goes on while the database is away, still knows a jump, and is measured when it is back', async () => {
    const { clock, pass, setAway, setSystemClock, error, measurements } = process_(3);
    await clock.measure();
    setAway(true);
    await pass(60);
    expect(error()).to.equal(0);
    setSystemClock(100);
    await pass(2);
    expect(clock.state).to.equal('wrong');
    setAway(false);
    const before = measurements();
    await pass(1);
    expect(measurements()).to.equal(before + 1);
  });

  it('is right within a second after its machine has slept, without calling the machine wrong', async () => {
    const { clock, logged, pass, sleep, error } = process_(0);
    await clock.measure();
    sleep(3_600);
    await pass(1);
    expect(error()).to.equal(0);
    expect(clock.state).to.equal('right');
    expect(logged).to.deep.equal(["warn: the database's time has changed, or this machine was suspended"]);
  });

  it('follows a failover to a server whose clock differs, without going back', async () => {
    const { clock, logged, pass, setDatabaseClock, error } = process_(0);
    await clock.measure();
    setDatabaseClock(-20);
    let before = clock.now();
    for (let i = 0; i < 60; i += 1) {
      await pass(1);
      expect(clock.now().getTime()).to.be.at.least(before.getTime());
      before = clock.now();
    }
    expect(error()).to.be.closeTo(0, 0.001);
    expect(clock.state).to.equal('off');
    expect(logged).to.have.lengthOf(2);
  });
});
