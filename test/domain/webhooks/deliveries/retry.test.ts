import { expect } from 'chai';
import { nextAttemptAt } from '../../../../src/domain/webhooks/deliveries/retry.ts';

const NOW = new Date('2026-01-31T12:00:00.000Z');
const SCHEDULE = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400];
/** Half of [0, 1): no jitter. */
const MIDDLE = 0.5;

function delay(failedAttempt: number, random = MIDDLE, retryAfter: string | null = null): number | null {
  const next = nextAttemptAt({ failedAttempt, scheduleSeconds: SCHEDULE, random, retryAfter, now: NOW });
  return next === null ? null : (next.getTime() - NOW.getTime()) / 1000;
}

describe('the next attempt of a failed delivery', () => {
  it('follows the schedule: ten retries after the first attempt, then no more', () => {
    expect(SCHEDULE.map((_, index) => delay(index + 1))).to.deep.equal(SCHEDULE);
    expect(delay(10)).to.equal(86_400);
    expect(delay(11)).to.equal(null);
    expect(delay(12)).to.equal(null);
  });

  it('spreads each delay over plus and minus 20 %', () => {
    expect(delay(4, 0)).to.equal(480);
    expect(delay(4, 0.25)).to.equal(540);
    expect(delay(4, 0.999_999)).to.be.closeTo(720, 0.01);
  });

  it('honours Retry-After in seconds between once and four times the delay', () => {
    expect(delay(2, 0, '45')).to.equal(45);
    expect(delay(2, 0, '30')).to.equal(30);
    expect(delay(2, 0, '120')).to.equal(120);
    expect(delay(2, 0, '1')).to.equal(30);
    expect(delay(2, 0, '0')).to.equal(30);
    expect(delay(2, 0, '121')).to.equal(120);
    expect(delay(2, 0, '9'.repeat(400))).to.equal(120);
  });

  it('spreads the requested Retry-After forwards only, and not beyond four times the delay', () => {
    expect(delay(2, 0.5, '60')).to.equal(66);
    expect(delay(2, 0.999_999, '60')).to.be.closeTo(72, 0.01);
    expect(delay(2, 0.999_999, '119')).to.equal(120);
  });

  it('honours Retry-After as an HTTP date of each form, relative to `now`', () => {
    expect(delay(2, 0, 'Sat, 31 Jan 2026 12:01:00 GMT')).to.equal(60);
    expect(delay(2, 0, 'Saturday, 31-Jan-26 12:01:00 GMT')).to.equal(60);
    expect(delay(2, 0, 'Sat Jan 31 12:01:00 2026')).to.equal(60);
    expect(delay(2, 0, 'Sat, 31 Jan 2026 11:00:00 GMT')).to.equal(30);
    expect(delay(2, 0, 'Sat, 31 Jan 2099 12:00:00 GMT')).to.equal(120);
  });

  it('ignores any other Retry-After', () => {
    for (const header of [
      '',
      'soon',
      '-5',
      '1.5',
      '1e3',
      '0x40',
      '٣',
      '2026-01-31T12:01:00Z',
      'Xyz, 99 Foo 2026 99:99:99 GMT',
    ])
      expect(delay(2, 0, header), header).to.equal(24);
  });

  it('never lets Retry-After prolong an exhausted schedule', () => {
    expect(delay(11, 0, '60')).to.equal(null);
  });

  it('accepts any schedule, also one without a retry', () => {
    const input = { failedAttempt: 1, random: MIDDLE, retryAfter: null, now: NOW };
    expect(nextAttemptAt({ ...input, scheduleSeconds: [] })).to.equal(null);
    expect(nextAttemptAt({ ...input, scheduleSeconds: [0.2] })?.getTime()).to.equal(NOW.getTime() + 200);
  });
});
