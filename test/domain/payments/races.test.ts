import { expect } from 'chai';
import { startRaceCourse, type RaceCourse } from '../../support/races/course.ts';
import { ACTORS } from '../../support/races/actors.ts';
import type { Pause } from '../../support/races/pausable-db.ts';
import { allPairs } from '../../support/races/pairs.ts';

/**
 * `npm run test:races` pauses before each statement. Otherwise before every 16th, others for each pair, and
 * for every second pair before each COMMIT: then the other actor waits for its lock until all is committed.
 */
const ALL = process.env.RACES === 'all';
const EVERY = 16;

describe('races on one payment', () => {
  let course: RaceCourse;
  let pairs = 0;
  let pauses = 0;
  let waits = 0;
  const waited = new Set<string>();
  before(async () => {
    course = await startRaceCourse();
  });
  after(async () => {
    console.log(`      ${pairs} pairs, ${pauses} pauses; in ${waits} the other actor waited for a lock`);
    await course.close();
  });

  for (const { state, first, second } of allPairs())
    it(`${state}: ${first}, paused for ${second}`, async () => {
      const isChosen = ({ index, isCommit }: Pause) =>
        isCommit ? !ALL && pairs % 2 === 0 : ALL || index % EVERY === pairs % EVERY;
      const raced = await course.race(state, first, second, isChosen);
      pairs += 1;
      pauses += raced.length;
      waits += raced.filter(({ didWait }) => didWait).length;
      if (raced.some(({ didWait }) => didWait)) waited.add(second);
      expect(raced.flatMap(({ faults }) => faults)).to.deep.equal([]);
    });

  it('were raced: each actor waited inside a statement, for the lock of one that was paused', () => {
    expect([...waited].sort()).to.deep.equal(Object.keys(ACTORS).sort());
  });
});
