import { startWatching } from '../domain/watch.ts';
import { StartError } from '../platform/config/config.ts';
import { URLS_VARIABLES } from '../platform/config/variables.ts';
import { operatorPages } from '../http/operators/pages.ts';
import { probes } from '../http/operators/probes.ts';
import { startOperatorServer } from '../http/operators/server.ts';
import {
  assertRightClock,
  assertServable,
  configFrom,
  createContext,
  openTraces,
  WATCHER_DB,
} from './setup/context.ts';
import { openHealth } from './setup/health.ts';
import { runMain } from './setup/lifetime.ts';
import { openEnqueuer } from './setup/queues/enqueuer.ts';
import { connectionsOf } from './setup/ops/before-start.ts';

runMain(async (lifetime) => {
  const config = configFrom(process.env, { showsLinks: false, readsChains: true });
  if (Object.keys(config.rpc).length === 0)
    throw new StartError(`No network is to be read: set one of ${URLS_VARIABLES.join(', ')}.`);
  const ctx = createContext(lifetime, 'watcher', config, WATCHER_DB);
  await openTraces(ctx, lifetime, 'watcher');
  await assertServable(ctx, false);
  await assertRightClock(ctx);
  const state = await openHealth(ctx, lifetime, 'watcher');
  if (config.adminPort !== null) {
    const ready = probes({ health: state.health, clock: ctx.clock, isDraining: () => lifetime.isDraining() });
    const queueJobs = () => Promise.resolve([]);
    const pages =
      config.adminPassword === null
        ? null
        : operatorPages(ctx, config.adminPassword, null, { ...state, queueJobs });
    const server = await startOperatorServer(ctx, config.adminPort, ready, pages);
    lifetime.own("operators' server", () => server.close());
  }
  const openQueues = openEnqueuer(ctx, lifetime);
  const watching = startWatching(ctx);
  lifetime.own('networks', () => watching.close());
  const { networks } = watching;
  openQueues();
  ctx.log.info('watching', { networks, postgres_connections: connectionsOf('watcher', config) });
});
