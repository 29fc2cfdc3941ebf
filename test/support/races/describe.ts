import { expect } from 'chai';
import type { RacedPayment } from './actors.ts';
import { startRaceCourse, type RaceCourse } from './course.ts';
import { allPairs } from './pairs.ts';
import type { Pause } from './pausable-db.ts';
import type { Suite } from './suite.ts';

/**
 * `npm run test:races` pauses before each statement. Otherwise before every 16th, others for each pair, and
 * for every second pair before each COMMIT: then the other actor waits for its lock until all is committed.
 */
const ALL = process.env.RACES === 'all';
const EVERY = 16;

/** Races the pairs of a suite's actors; where all do, each must have waited for a lock in the end. */
export function describeRaces<Raced extends RacedPayment>(title: string, suite: Suite<Raced>): void {
  describe(title, () => {
    let course: RaceCourse;
    let pairs = 0;
    let pauses = 0;
    let waits = 0;
    const waited = new Set<string>();
    before(async () => {
      course = await startRaceCourse(suite);
    });
    after(async () => {
      console.log(`      ${pairs} pairs, ${pauses} pauses; in ${waits} the other actor waited for a lock`);
      await course.close();
    });

    const chosen = allPairs(suite).filter((_, place) => ALL || place % suite.oneOf === 0);
    for (const { state, first, second } of chosen)
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

    if (ALL || suite.oneOf === 1)
      it('were raced: each actor waited inside a statement, for the lock of one that was paused', () => {
        const waiting = Object.keys(suite.actors).filter((name) => !suite.neverWait.includes(name));
        expect([...waited].sort()).to.deep.equal(waiting.sort());
      });
  });
}
