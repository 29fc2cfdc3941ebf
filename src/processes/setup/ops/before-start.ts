import { ENQUEUER_POOL_SIZE, QUEUE_POOL_SIZE } from '../../../background/queues.ts';
import { RPC_NETWORKS } from '../../../platform/config/variables.ts';
import type { Config } from '../../../platform/config/config.ts';
import { QUEUE_NAMES } from '../../../domain/schedule/job.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { WATCHER_DB, WEB_DB, WORKER_DB } from '../context.ts';
import { isNetwork, NETWORK_IDS, type NetworkId } from '../../../domain/chain/networks.ts';
import { findingsText, runChecks } from '../../../domain/ops/preflight/finding.ts';
import { installationChecks } from '../../../domain/ops/preflight/installation.ts';
import {
  findMerchant,
  merchantChecks,
  networksOf,
  type Merchant,
} from '../../../domain/ops/preflight/merchant.ts';
import { networkChecks } from '../../../domain/ops/preflight/networks.ts';
import { rateChecks } from '../../../domain/ops/preflight/rates.ts';
import { walletCheck } from '../../../domain/ops/preflight/wallet.ts';
import type { Context } from '../../../platform/context.ts';
import { OpsUsageError, type OpsCommand, type OpsValues } from '../shared/command.ts';

/** Of each check, which makes some four requests one after the other. */
const DEADLINE_SECONDS = 60;

export const preflightCommand: OpsCommand = {
  summary: 'says what is missing or broken before real money moves, and what to do about it',
  description:
    "Run it in the watcher's environment, which alone has RPC_URLS_. It writes nothing. With --merchant it also " +
    'sends signed test events to the receivers of the merchant. Exit code 1 when something is missing or broken.',
  options: {
    merchant: { type: 'string', value: 'ID', meaning: 'also the wallet and the receivers of this merchant' },
    network: {
      type: 'string',
      value: 'NETWORK',
      meaning: 'only this network; without it those that are configured',
    },
  },
  changes: () => false,
  isPreflight: true,
  readsChains: true,
  async run(ctx, values) {
    const merchant = await merchantOf(ctx, values);
    const networks = networksFor(ctx, values, merchant);
    const checks = [
      ...installationChecks(ctx, networks),
      ...networkChecks(ctx, networks),
      ...rateChecks(ctx, networks),
      walletCheck(ctx, merchant),
      ...(merchant === null ? [] : merchantChecks(ctx, merchant)),
    ];
    const findings = await runChecks(checks, DEADLINE_SECONDS);
    const isBad = findings.some(({ state }) => state !== 'ok');
    return { facts: { ok: !isBad, findings }, text: findingsText(findings), isBad };
  },
};

async function merchantOf(ctx: Context, values: OpsValues): Promise<Merchant | null> {
  const id = values.text('merchant');
  if (id === null) return null;
  const found = await findMerchant(ctx, id);
  if (found === null) throw new OpsUsageError(`There is no merchant ${id}.`);
  return found;
}

function networksFor({ config }: Context, values: OpsValues, merchant: Merchant | null): NetworkId[] {
  const named = values.text('network');
  if (named === null)
    return merchant === null
      ? NETWORK_IDS.filter((one) => Object.hasOwn(config.rpc, one))
      : networksOf(merchant);
  if (isNetwork(named)) return [named];
  throw new OpsUsageError(`There is no network ${named}: write one of ${NETWORK_IDS.join(', ')}.`);
}

/**
 * Returns the most connections to Postgres that a process opens: those of its pool, one for the beats of a
 * worker, one of a watcher for each network and for the rates and, where the queues are in Postgres, those
 * of a worker's queues, or with which web and watcher add to them and web shows them. Those to a replica are
 * not among them.
 */
export function connectionsOf(kind: 'web' | 'worker' | 'watcher', config: Config): number {
  // Nobody but a watcher knows which networks it reads: elsewhere all of them count.
  const networks = Object.keys(config.rpc).length || RPC_NETWORKS.length;
  const own = {
    web: WEB_DB.poolSize,
    worker: WORKER_DB.poolSize + 1,
    watcher: WATCHER_DB.poolSize + networks + 1,
  }[kind];
  if (config.redisUrl !== null) return own;
  if (kind === 'watcher') return own + ENQUEUER_POOL_SIZE;
  if (kind === 'worker') return own + QUEUE_POOL_SIZE + (config.workerQueues ?? QUEUE_NAMES).length;
  return own + ENQUEUER_POOL_SIZE + (config.adminPassword === null ? 0 : QUEUE_POOL_SIZE);
}

const limits = sql<{ most: number; reserved: number }>(
  'connection_limits',
  `SELECT current_setting('max_connections')::int AS most,
     current_setting('superuser_reserved_connections')::int AS reserved`,
);

/** The release, a command, and who looks with psql; a start opens two for a moment. */
const BESIDE = 10;

export const connectionsCommand: OpsCommand = {
  summary:
    'computes how many connections to Postgres so many processes may open, and compares max_connections',
  description: 'With the variables that it is run with. Exit code 1 when max_connections is less.',
  options: {
    web: { type: 'string', value: 'N', meaning: 'web processes', isNeeded: true },
    workers: { type: 'string', value: 'N', meaning: 'workers', isNeeded: true },
    watchers: { type: 'string', value: 'N', meaning: 'watchers; none without it' },
  },
  changes: () => false,
  async run({ db, config }, values) {
    const [web, workers] = [numberOf(values, 'web'), numberOf(values, 'workers')];
    const watchers = numberOf(values, 'watchers');
    const each = {
      web: connectionsOf('web', config),
      worker: connectionsOf('worker', config),
      watcher: connectionsOf('watcher', config),
    };
    const sum = web * each.web + workers * each.worker + watchers * each.watcher + BESIDE;
    const { most = 0, reserved = 0 } = (await runOne(db, limits, [])) ?? {};
    const needed = sum + reserved;
    const text =
      `${web} web x ${each.web} + ${workers} workers x ${each.worker} + ${watchers} watchers x ${each.watcher} + ` +
      `${BESIDE} for commands + ${reserved} ` +
      `reserved = ${needed}; max_connections is ${most}${needed > most ? ': too few' : ''}.`;
    return { facts: { each, needed, max_connections: most }, text, isBad: needed > most };
  },
};

function numberOf(values: OpsValues, name: string): number {
  const text = values.text(name) ?? '0';
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new OpsUsageError(`--${name} ${text} is no number of processes.`);
}
