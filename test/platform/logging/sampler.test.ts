import { expect } from 'chai';
import { Sampler, type LogLine } from '../../../src/platform/logging/sampler.ts';
import { flushLogs, logLines } from '../../../src/platform/log.ts';
import { captureLog } from '../../support/logs.ts';

describe('sampling of log lines', () => {
  let now = 0;
  let repeated: LogLine[];
  let sampler: Sampler;
  beforeEach(() => {
    now = 0;
    repeated = [];
    sampler = new Sampler((line) => void repeated.push(line), { clock: () => now });
  });
  const take = (count: number, line: LogLine) =>
    Array.from({ length: count }, (_, i) => sampler.takes({ ...line, n: i })).filter(Boolean).length;
  const failure = { level: 'warn', message: 'queue failed', queue: 'mail' };

  it('writes the first 10 of 7,300 lines in a second, and the others as one line with their number', () => {
    expect(take(7_300, failure)).to.equal(10);
    expect(repeated).to.deep.equal([]);
    now = 10_000;
    expect(sampler.takes(failure)).to.equal(true);
    expect(repeated).to.deep.equal([{ ...failure, n: 7_299, repeated: 7_290 }]);
  });

  it('writes pending counts when the process ends, once', () => {
    take(25, failure);
    sampler.flush();
    sampler.flush();
    expect(repeated.map((line) => line.repeated)).to.deep.equal([15]);
  });

  it('counts each message, level and source by itself', () => {
    for (const line of [failure, { ...failure, queue: 'refunds' }, { ...failure, level: 'error' }])
      expect(take(11, line)).to.equal(10);
  });

  it('never samples a line that reports work done', () => {
    for (const line of [
      { level: 'info', message: 'request', status: 200 },
      { level: 'info', message: 'job', outcome: 'done' },
    ])
      expect(take(5_000, line)).to.equal(5_000);
  });

  it('bounds refused requests from one address, and from as many addresses as there are', () => {
    const refused = { level: 'info', message: 'request', status: 401, reason: 'unauthorized' };
    expect(take(1_000, { ...refused, address: '192.0.2.1' })).to.equal(10);
    let written = 0;
    for (let i = 0; i < 50_000; i += 1) written += take(1, { ...refused, address: `2001:db8:${i}::/64` });
    expect(written).to.equal(290);
    expect(take(1, { level: 'info', message: 'request', status: 200 })).to.equal(1);
    sampler.flush();
    const sum = repeated.reduce((all, line) => all + Number(line.repeated), 0);
    expect(sum).to.equal(51_000 - 300);
    // As many as there are sources whose own window is full, and one for the kind.
    expect(repeated).to.have.lengthOf.at.most(2);
  });

  it('bounds what messages that are not constant could cost', () => {
    let written = 0;
    for (let i = 0; i < 20_000; i += 1) written += take(1, { level: 'warn', message: `fault ${i}` });
    expect(written).to.be.within(1_000, 1_500);
  });

  it('holds in the log itself: lines, counts and what is redacted in the last line', () => {
    const before = { ...logLines() };
    const captured = captureLog();
    const { log } = captured;
    for (let i = 0; i < 500; i += 1) log.error('job failed', { job: 'x', error: 'Bearer abcdefgh12345' });
    log.debug('not at this level');
    flushLogs();
    const lines = captured.lines();
    expect(lines).to.have.length(11);
    const [first = {}, last = {}] = [lines[0], lines.at(-1)];
    expect(first).to.include({ level: 'error', message: 'job failed', process: 'test', pid: process.pid });
    expect(first.host).to.be.a('string').and.not.equal('');
    expect(last).to.include({ message: 'job failed', repeated: 490, error: 'Bearer [redacted]' });
    expect(logLines().error - before.error).to.equal(11);
    expect(logLines().suppressed - before.suppressed).to.equal(490);
    expect(logLines().debug).to.equal(before.debug);
  });
});
