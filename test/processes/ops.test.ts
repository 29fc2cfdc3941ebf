import { expect } from 'chai';
import express from 'express';
import supertest from 'supertest';
import { operatorPages } from '../../src/http/operators/pages.ts';
import { STUCK_PATH } from '../../src/http/operators/stuck.ts';
import { schedule } from '../../src/domain/schedule/store.ts';
import { defineJob } from '../../src/platform/job.ts';
import { messageOf } from '../../src/platform/log.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops-commands.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { build, endAll, startProcess } from './service.ts';

const job = defineJob('refund.send', 'refunds');

describe('npm run ops', function () {
  this.timeout(60_000);
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
    const { db, now } = harness.ctx;
    await schedule(db, [{ job, key: 'ref_1', runAt: now(), testClock: null }]);
    await db('scheduled_jobs')
      .where({ key: 'ref_1' })
      .update({ failures: 30, last_error: 'away', visible_at: 'infinity', parked_at: now() });
  });
  afterEach(async () => {
    await endAll();
    await harness.close();
  });

  const ops = async (...args: string[]) => {
    const command = parseOpsCommand(args);
    if (command === null) throw new Error('help');
    return command.run(harness.ctx);
  };

  it('stuck lists the stuck jobs and says why, and --release makes them due', async () => {
    const { text, facts } = await ops('stuck');
    expect(text).to.equal('refund.send  ref_1  30 failures, parked since 2026-01-31T12:00:00.000Z: away');
    expect(facts.stuck).to.have.length(1);
    expect((await ops('stuck', '--job', 'payment.settle')).text).to.equal('No job is stuck.');
    expect((await ops('stuck', '--release', '--key', 'ref_2')).text).to.equal('No job was parked.');
    expect((await ops('stuck', '--release', '--job', job.name)).text).to.equal(
      'released  refund.send  ref_1',
    );
    expect((await ops('stuck')).text).to.equal('No job is stuck.');
  });

  it('reconcile says how many jobs were missing', async () => {
    expect(await ops('reconcile')).to.deep.equal({
      facts: { restored: 0 },
      text: '0 jobs were missing and are scheduled again.',
    });
  });

  it('refuses what it does not know', () => {
    for (const [args, fault] of [
      [[], 'A command is missing.'],
      [['park'], 'There is no command park.'],
      [['stuck', '--all'], "Unknown option '--all'"],
      [['reconcile', '--release'], 'There is no command reconcile with such options.'],
    ] as const)
      try {
        parseOpsCommand(args);
        expect.fail(args.join(' '));
      } catch (error) {
        expect(messageOf(error)).to.include(fault);
      }
    expect(parseOpsCommand(['--help'])).to.equal(null);
  });

  it('is a program of the build, which prints JSON', async () => {
    build();
    const env = { NODE_ENV: 'test', DATABASE_URL: harness.ctx.config.databaseUrl };
    const process_ = startProcess('ops', env, ['stuck', '--json']);
    expect(await process_.ended()).to.equal(0);
    const { stuck } = JSON.parse(process_.output()) as { stuck: { key: string }[] };
    expect(stuck.map(({ key }) => key)).to.deep.equal(['ref_1']);
  });

  it('has the same beside the board and in the metrics, behind the password', async () => {
    const app = express();
    app.use(operatorPages(harness.ctx, 'sesame', (_request, _response, next) => next(), null));
    await supertest(app).get(STUCK_PATH).expect(401);
    const page = await supertest(app).get(STUCK_PATH).auth('admin', 'sesame').expect(200);
    expect(page.text).to.include('refund.send  ref_1  30 failures');
    const metrics = await supertest(app).get('/metrics').auth('admin', 'sesame').expect(200);
    expect(metrics.text).to.include('due_work_stuck{job="refund.send"} 1');
  });
});
