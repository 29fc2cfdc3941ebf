import { expect } from 'chai';
import type { Queue } from 'bullmq';
import { migrateQueues, openQueueEngine } from '../../src/background/queues.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';
import { ENGINES } from '../support/engines.ts';
import { createHarness } from '../support/harness.ts';

for (const engine of ENGINES)
  describe(`a queue on ${engine.name} that a program has paused`, () => {
    it('goes on after drain --off, since the board changes nothing', async () => {
      const harness = await createHarness(await engine.env());
      await migrateQueues(harness.ctx.config.databaseUrl);
      const opened = openQueueEngine(harness.ctx.config, harness.ctx.log);
      const queue = opened.openQueue('mail') as Queue;
      await queue.pause();
      const command = parseOpsCommand(['drain', '--off']);
      if ('help' in command) throw new Error('help');
      const output = {
        progress: () => undefined,
        write: () => Promise.resolve(),
        end: () => Promise.resolve(),
      };
      const { facts } = await command.run(harness.ctx, output);
      expect(facts).to.deep.equal({ drain: null, was_on: false, queues_resumed: true });
      expect(await queue.isPaused()).to.equal(false);
      await queue.close();
      await opened.close();
      await harness.close();
    });
  });
