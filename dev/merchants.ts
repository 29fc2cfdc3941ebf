import { runMain } from '../src/processes/setup/lifetime.ts';
import { runMerchants } from '../src/processes/setup/run-merchants.ts';
import { openDevelopmentCommand } from './command-context.ts';

runMain((lifetime) => runMerchants(lifetime, openDevelopmentCommand), { once: true });
