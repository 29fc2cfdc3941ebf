import { openCommand } from './setup/command-context.ts';
import { runMain } from './setup/lifetime.ts';
import { runOps } from './setup/run-ops.ts';

runMain((lifetime) => runOps(lifetime, openCommand), { once: true });
