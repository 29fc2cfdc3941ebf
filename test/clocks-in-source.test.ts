import { expect } from 'chai';
import { filesBelow, read } from './support/documents.ts';

/** Where a clock may be read, and why. Everybody else gets the time passed in: `ctx.now`. */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/platform/database-clock/clock.ts': 'compares the system clock with the database',
  'src/domain/events/horizon.ts': "measures a duration by the database's clock alone",
  'src/domain/events/holders.ts': "measures a duration by the database's clock alone",
  'src/domain/ops/move/bring.ts': "measures a pause by the database's clock alone",
  'src/domain/ops/move/hold-jobs.ts': "measures a pause by the database's clock alone",
  'src/domain/ops/move/checks/preflight.ts': "measures a pause by the database's clock alone",
  'src/domain/ops/move/early/notes.ts': "measures a pause by the database's clock alone",
  'src/domain/ops/move/steps.ts': "measures a pause by the database's clock alone",
  'src/domain/moves/steps.ts': "measures a pause by the database's clock alone",
  'src/platform/postgres/migrations/session.ts': "measures a duration by the database's clock alone",
  'src/processes/setup/heartbeat.ts': 'compares with the time of a file, which the system clock gave it',
  'src/sdk/sign.ts': "runs in a merchant's program",
  'src/sdk/received.ts': "runs in a merchant's program",
  'src/sdk/cli/terminal/terminal.ts': "runs on a merchant's machine",
  'src/domain/chain/keys/aws-kms.ts': 'signs with the time, by which AWS judges the age of a request',
  'src/processes/setup/signer/open.ts': 'gives the signer its clock, which believes none of a database',
  'src/http/api/rate-limit.ts': "is the machine's own window",
};

const READS_A_CLOCK =
  /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )(?<![\w.])Date\(|\bsystemClock\b|(?<!=> |: |[.#])\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\(\)(?= *(?:[-+)]|::|AS\b|$|[,;]))|\b(?:CURRENT_TIMESTAMP|LOCALTIMESTAMP|CURRENT_DATE)\b/;

describe('the clock is passed in', () => {
  it('no file of src reads a clock but those that are named here, with the reason', () => {
    const found = filesBelow('src').filter((file) => READS_A_CLOCK.test(withoutComments(read(file))));
    expect(found).to.have.members(Object.keys(ALLOWED));
  });

  it('would find each way to read one', () => {
    for (const text of [
      'const at = Date.now();',
      'const read = Date.now;',
      'const at = new Date();',
      'const text = Date();',
      'now: systemClock',
      'visible_at <= CURRENT_TIMESTAMP',
      "visible_at <= now() - interval '5 s'",
      'SET visible_at = now(), failures = 0',
      'extract(epoch FROM clock_timestamp() - begun)',
    ])
      expect(READS_A_CLOCK.test(text), text).to.equal(true);
    for (const text of [
      'const now = ctx.now();',
      'runAt: now(),',
      '() => now()',
      'const at = this.#now();',
      'new Date(row.at)',
      'isDate(value)',
      '{ now: ctx.systemNow() }',
    ])
      expect(READS_A_CLOCK.test(text), text).to.equal(false);
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
