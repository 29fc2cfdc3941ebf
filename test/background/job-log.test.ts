import { expect } from 'chai';
import { runJob } from '../../src/background/runs/run-job.ts';
import { createHandlers } from '../../src/background/workers.ts';
import { dispatchEvent } from '../../src/domain/outbox/jobs.ts';
import type { Handler } from '../../src/domain/schedule/job.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { createPayment } from '../support/http.ts';
import { captureLog, type CapturedLog } from '../support/logs.ts';

describe('the log of jobs', () => {
  let harness: Harness;
  let captured: CapturedLog;
  before(async () => (harness = await createHarness()));
  after(() => harness.close());
  beforeEach(() => (captured = captureLog()));

  const start = (handler: Handler, key: string, failures = 0) =>
    runJob({ ...harness.ctx, log: captured.log }, handler, [
      { job: handler.job.name, key, failures, test_clock: null, run_at: null, merchant_id: null },
    ]);

  it('is one line a run, with the event, the queue, the attempt, the duration and the outcome', async () => {
    const { id } = await createPayment(harness);
    const { rows } = await harness.ctx.db.raw<{ rows: { id: string }[] }>(
      'SELECT id FROM events WHERE payment_id = ?',
      [id],
    );
    const event = rows[0]?.id ?? '';
    const handler = createHandlers(harness.adapters).get(dispatchEvent.name);
    if (handler !== undefined) await start(handler, event, 2);
    const [line, ...others] = captured.lines('job');
    expect(others).to.deep.equal([]);
    expect(line).to.include({
      level: 'info',
      job: dispatchEvent.name,
      queue: dispatchEvent.queue,
      event_id: event,
      count: 1,
      attempt: 3,
      outcome: 'done',
      pid: process.pid,
    });
    expect(line?.duration_ms).to.be.a('number');
  });

  it('names what failed by its reason, and samples a job that fails again and again', async () => {
    const error = Object.assign(new Error('konnte Datei nicht erweitern'), { code: '53100' });
    const handler = { job: dispatchEvent, handle: () => Promise.reject(error) };
    for (let i = 0; i < 50; i += 1) await start(handler, `evt_${i}`).catch(() => undefined);
    const failed = captured.lines('job failed; it runs again later');
    expect(failed).to.have.length(10);
    expect(failed[0]).to.include({
      level: 'error',
      reason: 'Postgres: disk full',
      outcome: 'failed',
      event_id: 'evt_0',
      attempt: 1,
    });
  });
});
