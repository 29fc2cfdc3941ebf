import { expect } from 'chai';
import type { Queue } from 'bullmq';
import { migrateQueues, openQueueEngine } from '../../src/background/queues.ts';
import { FINISHED_KEPT_MS, sweepFinishedOnce } from '../../src/background/retention.ts';
import { read } from '../support/documents.ts';
import { ENGINES } from '../support/engines.ts';
import { createHarness } from '../support/harness.ts';
import { until } from '../support/until.ts';

for (const engine of ENGINES)
  describe(`finished jobs, with queues on ${engine.name}`, () => {
    it('stay for as long as the document says, and are deleted then', async () => {
      const harness = await createHarness(await engine.env());
      await migrateQueues(harness.ctx.config.databaseUrl);
      const opened = openQueueEngine(harness.ctx.config, harness.ctx.log);
      const queue = opened.openQueue('mail') as Queue;
      const worker = opened.openWorker('mail', () => Promise.resolve(), 5);
      for (let key = 0; key < 20; key += 1)
        await queue.addBulk([{ name: 'job', data: { keys: [`${key}`] } }]);
      const finished = () => queue.getJobCountByTypes('completed');
      await until('all have ended', async () => (await finished()) === 20);
      await sweepFinishedOnce([queue]);
      expect(await finished()).to.equal(20);
      await sweepFinishedOnce([queue], -1_000);
      expect(await finished()).to.equal(0);
      expect(read('docs/operations.md')).to.include(`stay ${FINISHED_KEPT_MS / 60_000} minutes`);
      await worker.close();
      await queue.close();
      await opened.close();
      await harness.close();
    });
  });
