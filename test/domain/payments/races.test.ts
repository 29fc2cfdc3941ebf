import { expect } from 'chai';
import { startRaceCourse, type RaceCourse } from '../../support/races/course.ts';
import { allPairs } from '../../support/races/pairs.ts';

/** `npm run test:races` pauses before each statement; otherwise before every eighth, others for each pair. */
const EVERY = process.env.RACES === 'all' ? 1 : 8;

describe('races on one payment', () => {
  let course: RaceCourse;
  let pairs = 0;
  let pauses = 0;
  let waits = 0;
  before(async () => {
    course = await startRaceCourse();
  });
  after(async () => {
    console.log(`      ${pairs} pairs, ${pauses} pauses; in ${waits} the other actor waited for a lock`);
    await course.close();
  });

  for (const { state, first, second } of allPairs())
    it(`${state}: ${first}, paused for ${second}`, async () => {
      const offset = pairs % EVERY;
      const raced = await course.race(state, first, second, (index) => index % EVERY === offset);
      pairs += 1;
      pauses += raced.length;
      waits += raced.filter(({ didWait }) => didWait).length;
      expect(raced.flatMap(({ faults }) => faults)).to.deep.equal([]);
    });

  it('were raced: actors were paused while others waited for their locks', () => {
    expect(waits).to.be.above(0);
  });
});
