import { openCommand } from './setup/command-context.ts';
import { runMain } from './setup/lifetime.ts';
import { runMerchants } from './setup/run-merchants.ts';

runMain((lifetime) => runMerchants(lifetime, openCommand), { once: true });
