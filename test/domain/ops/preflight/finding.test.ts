import { expect } from 'chai';
import { findingsText, missing, ok, runChecks } from '../../../../src/domain/ops/preflight/finding.ts';

describe('the findings of a preflight', () => {
  it('come within the deadline, also where a check hangs or fails, and all checks run at once', async () => {
    const begun: string[] = [];
    const check = (name: string, look: () => Promise<ReturnType<typeof ok>>) => ({
      name,
      async look() {
        begun.push(name);
        // Until every check has begun, none ends.
        while (begun.length < 3) await new Promise(setImmediate);
        return look();
      },
    });
    const found = await runChecks(
      [
        check('hangs', () => new Promise(() => {})),
        check('fails', () => Promise.reject(new Error('away'))),
        check('is well', () => Promise.resolve(ok('it is there'))),
      ],
      0.05,
    );
    expect(found.map(({ check: name, state, says }) => [name, state, says])).to.deep.equal([
      ['hangs', 'broken', 'no answer within 0.05 s'],
      ['fails', 'broken', 'it could not be read: away'],
      ['is well', 'ok', 'it is there'],
    ]);
  });

  it('are a line each for people, with what to do behind an arrow, and a sum', () => {
    const named = { check: 'wallet', subject: 'mer_1', ...missing('there is none', 'set one') };
    expect(findingsText([{ check: 'clock', subject: '', ...ok('right') }, named])).to.equal(
      [
        'ok       clock: right',
        'MISSING  wallet mer_1: there is none',
        '         -> set one',
        '1 ok, 1 missing, 0 broken.',
      ].join('\n'),
    );
  });
});
