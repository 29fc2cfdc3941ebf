import { expect } from 'chai';
import { FailedSignIns } from '../../../src/http/operators/failed-sign-ins.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('failed sign-ins', () => {
  it('make an address wait from the fifth on: 1 s, 2 s, 4 s and so on up to a minute', () => {
    const failed = new FailedSignIns();
    const waits = Array.from({ length: 13 }, () => failed.fail('a', 0).waitSeconds);
    expect(waits).to.deep.equal([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(failed.waitSeconds('a', 59_001)).to.equal(1);
    expect(failed.waitSeconds('a', 60_000)).to.equal(0);
    expect(failed.waitSeconds('b', 0), 'another address').to.equal(0);
  });

  it('let one address look at no more than 1,450 passwords a day, however often it tries', () => {
    const failed = new FailedSignIns();
    let lookedAt = 0;
    for (let now = 0; now < DAY_MS; now += 100)
      if (failed.waitSeconds('a', now) === 0) {
        lookedAt += 1;
        failed.fail('a', now);
      }
    expect(lookedAt).to.be.within(1_400, 1_450);
  });

  it('report what was refused since the last one', () => {
    const failed = new FailedSignIns();
    for (let i = 0; i < 5; i += 1) failed.fail('a', 0);
    for (let i = 0; i < 7; i += 1) expect(failed.waitSeconds('a', 10)).to.equal(1);
    expect(failed.fail('a', 1_000)).to.deep.equal({ failures: 6, refused: 7, waitSeconds: 2 });
  });

  it('are forgotten after a quarter of an hour without one', () => {
    const failed = new FailedSignIns();
    for (let i = 0; i < 9; i += 1) failed.fail('a', 0);
    expect(failed.fail('a', 15 * MINUTE_MS)).to.deep.equal({ failures: 1, refused: 0, waitSeconds: 0 });
  });

  it('hold at most 10,000 addresses, those that failed last', () => {
    const failed = new FailedSignIns();
    for (let i = 0; i < 5; i += 1) for (const address of ['early', 'late']) failed.fail(address, 0);
    for (let i = 0; i < 9_998; i += 1) failed.fail(String(i), 1);
    failed.fail('late', 2);
    failed.fail('one more', 2);
    expect([failed.waitSeconds('early', 2), failed.waitSeconds('late', 2)]).to.deep.equal([0, 2]);
  });

  it('are counted more generously with RATE_LIMIT_SCALE', () => {
    const failed = new FailedSignIns(2);
    expect(Array.from({ length: 10 }, () => failed.fail('a', 0).waitSeconds).at(-1)).to.equal(1);
    expect(new FailedSignIns(0.01).fail('a', 0).waitSeconds).to.equal(1);
  });
});
