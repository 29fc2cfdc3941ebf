import { runMain } from '../src/processes/setup/lifetime.ts';
import { runOps } from '../src/processes/setup/run-ops.ts';
import { openDevelopmentCommand } from './command-context.ts';

runMain((lifetime) => runOps(lifetime, openDevelopmentCommand), { once: true });
