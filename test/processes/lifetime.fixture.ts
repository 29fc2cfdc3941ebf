import { EventEmitter } from 'node:events';
import { setImmediate as setImmediateOf } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { StartError } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { unhandledErrors } from '../../src/platform/logging/unhandled.ts';
import { runMain } from '../../src/processes/setup/lifetime.ts';

/** What `lifetime.test.ts` starts: a process that starts, runs and ends as its arguments say. */
const [how, drainSeconds] = process.argv.slice(2);
const forever = new Promise<never>(() => {
  setInterval(() => undefined, 1_000);
});

runMain(
  async (lifetime) => {
    lifetime.own('first', async () => {
      await setImmediate();
      console.log('first closed last');
    });
    lifetime.own('second', () => {
      // As the log does it; console.log would swallow the error of an output that is closed.
      process.stdout.write('closing\n');
      if (how === 'goes-on') console.log(`counted ${unhandledErrors()}`);
      if (how === 'stuck') return forever;
      if (how === 'faulty') throw new Error('this one fails');
      return undefined;
    });
    // Heard from before the test is told that it may signal.
    const released = how === 'slow' ? new Promise((resolve) => process.once('SIGUSR2', resolve)) : null;
    console.log('starting');
    if (how === 'operator') throw new StartError('PORT is taken');
    if (how === 'bug') throw new TypeError('undefined is no function');
    await released;
    if (how === 'throws-early') {
      setImmediateOf(() => {
        throw new TypeError('nobody handles this');
      });
      await forever;
    }
    console.log('started');
    if (how === 'goes-on' || how === 'stuck')
      lifetime.log = createLog({ logLevel: 'info', logFormat: 'json' }, { process: 'fixture' });
    if (how === 'goes-on') {
      setImmediateOf(() => {
        void Promise.reject(new RangeError('rejected without a handler'));
        new EventEmitter().emit('error', new TypeError('emitted without a listener'));
      });
    }
    if (how === 'once-throws') void Promise.reject(new Error('late'));
  },
  { once: how?.startsWith('once') === true, drainSeconds: Number(drainSeconds) },
);
