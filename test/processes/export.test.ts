import { join } from 'node:path';
import { expect } from 'chai';
import { messageOf } from '../../src/platform/log.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { createPayment } from '../support/http.ts';
import { build, endAll, startProgram } from './service.ts';

/** More than the first page has. */
const PAYMENTS = 40;

describe('npm run ops -- export', function () {
  this.timeout(60_000);
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
    for (let i = 0; i < PAYMENTS; i += 1)
      await createPayment(harness, { order_id: i % 2 === 0 ? 'even' : `odd ${i}` });
  });
  after(() => harness.close());
  afterEach(endAll);

  const args = (...more: string[]) => {
    const { id } = harness.merchant;
    return ['export', '--merchant', id, '--kind', 'payments', ...more];
  };
  /** What an export writes, and what it says beside; `onPiece` is called before each piece is taken. */
  const run = async (
    more: readonly string[] = [],
    onPiece: () => Promise<unknown> = () => Promise.resolve(),
  ) => {
    const said: string[] = [];
    const written: string[] = [];
    const command = parseOpsCommand(args(...more));
    if ('help' in command) throw new Error('help');
    const fault = await command
      .run(harness.ctx, {
        progress: () => undefined,
        async write(text) {
          await onPiece();
          written.push(text);
        },
        end: (line = '') => Promise.resolve(void said.push(line)),
      })
      .then(
        () => null,
        (error: unknown) => messageOf(error),
      );
    return { text: written.join(''), said, fault };
  };

  for (const format of ['ndjson', 'csv'])
    it(`ends a whole file of ${format} with a line that counts the rows, and says so`, async () => {
      const { text, said } = await run(['--format', format]);
      const end = format === 'csv' ? /\r\nend,40,+\r\n$/ : /\n{"end":true,"rows":40}\n$/;
      expect(text).to.match(end);
      expect(said).to.deep.equal(['40 rows of payments in standard output: it is whole.']);
    });

  for (const format of ['ndjson', 'csv'])
    it(`says of a file of ${format} that was cut behind which row it goes on, and goes on there`, async () => {
      const whole = await run(['--format', format]);
      const { db } = harness.ctx;
      let isCut = false;
      const first = await run(['--format', format], async () => {
        if (!isCut) await db.raw('ALTER TABLE payments RENAME TO payments_elsewhere');
        isCut = true;
      });
      await db.raw('ALTER TABLE payments_elsewhere RENAME TO payments');
      expect(first.text).to.not.match(/^("|{")?end/m);
      expect(first.said).to.deep.equal([]);
      const [, rows = '', cursor = ''] =
        /^The file is cut behind (\d+) rows: .* Go on with --after (\S+)\.$/.exec(first.fault ?? '') ?? [];
      expect(Number(rows), first.fault ?? '').to.be.within(1, PAYMENTS - 1);
      const rest = await run(['--format', format, '--after', cursor]);
      expect(rest.said).to.deep.equal([
        `${PAYMENTS - Number(rows)} rows of payments in standard output: it is whole.`,
      ]);
      const withoutEnd = (text: string) => text.split('\n').slice(0, -2).join('\n');
      expect(`${first.text}${withoutEnd(rest.text)}`).to.equal(withoutEnd(whole.text));
    });

  it('has the payments of an order or a status alone, and knows no other status', async () => {
    expect((await run(['--order-id', 'even'])).text.match(/"order_id":"even"/g)).to.have.lengthOf(
      PAYMENTS / 2,
    );
    expect((await run(['--status', 'SETTLED,EXPIRED'])).text).to.equal('{"end":true,"rows":0}\n');
    expect((await run(['--status', 'WAITING,SETTLED'])).text).to.match(/{"end":true,"rows":40}\n$/);
    expect((await run(['--status', 'PAID'])).fault).to.match(/^--status PAID is not one of WAITING, /);
    expect((await run(['--after', 'pay_x.0'])).fault).to.match(
      /^--after pay_x\.0 is the last column of no row/,
    );
  });

  for (const [what, target, fault] of [
    ['on a full disk', 'exec 3> /dev/full', /^Standard output cannot be written: ENOSPC/m],
    ['whose reader has left', 'exec 3> >(true); wait $!', /^Standard output cannot be written: write EPIPE/m],
  ] as const)
    it(`fails where it writes to a file ${what}, instead of reporting success`, async () => {
      const program = join(build(), 'dist/processes/ops.js');
      const words = [process.execPath, program, ...args()].map((word) => `'${word}'`).join(' ');
      const env = { NODE_ENV: 'test', DATABASE_URL: harness.ctx.config.databaseUrl, OPS_ACTOR: 'Ann Lee' };
      const started = startProgram(['bash', '-c', `${target}; ${words} >&3`], env);
      expect(await started.ended(), started.output()).to.equal(1);
      expect(started.output()).to.match(fault).and.not.include('it is whole');
    });
});
