import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { readLiveChains } from '../chains.ts';
import { faultOf } from '../health/networks.ts';
import { listActions } from '../../audit/record.ts';
import { durationText, firstOf, type Section } from './section.ts';

interface Network {
  readonly network: string;
  readonly head: string | null;
  readonly late_seconds: number;
  readonly last_error: string | null;
}

// A sync reschedules itself for the next block; what is overdue was not read.
const networks = sql<Network, { now: Date }>(
  'status_of_networks',
  (p) => `
    SELECT j.key AS network, c.head, j.last_error,
      greatest(0, extract(epoch FROM ${p.now}::timestamptz - j.run_at))::float8 AS late_seconds
    FROM scheduled_jobs j LEFT JOIN chain_cursors c ON c.chain = j.key
    WHERE j.job = '${syncChain.name}' AND j.test_clock IS NULL ORDER BY j.key`,
);

const LATE_SECONDS = 60;

export const networksSection: Section = {
  name: 'networks',
  async read({ db, config, systemNow }) {
    const all = await run(db, networks, { now: systemNow() });
    const live = await readLiveChains(db);
    const late = all.filter(({ late_seconds }) => late_seconds > LATE_SECONDS);
    const missing = syncChain.keys.filter((key) => !all.some(({ network }) => network === key));
    const lines = [
      ...late.map(
        ({ network, late_seconds, last_error }) =>
          `${network}: not read for ${durationText(late_seconds)}${last_error === null ? '' : `: ${last_error}`}`,
      ),
      ...missing.map((network) => `${network}: no worker has scheduled its sync`),
      ...live.flatMap((chain) => faultOf(config, chain, systemNow()) ?? []),
    ];
    const heads = [...all, ...live.map(({ network, head }) => ({ network: `${network} live`, head }))]
      .map(({ network, head }) => `${network} ${head ?? '-'}`)
      .join(', ');
    return {
      facts: { networks: all, missing, live },
      lines: lines.length === 0 ? [`read up to ${heads}`] : firstOf(lines, 6),
      isBad: lines.length > 0,
    };
  },
};

interface Endpoints {
  readonly merchant_id: string;
  readonly id: string;
  readonly state: 'disabled' | 'open';
  readonly failures: number;
  readonly since: Date | null;
}

// Index: webhook_endpoints_stopped. Their receivers are at fault, so they are shown and count as no fault of
// the service.
const endpoints = sql<Endpoints, { now: Date; limit: number }>(
  'status_of_endpoints',
  (p) => `
    SELECT merchant_id, id, CASE WHEN disabled_at IS NOT NULL THEN 'disabled' ELSE 'open' END AS state,
      failures, coalesce(disabled_at, failing_since) AS since
    FROM webhook_endpoints WHERE disabled_at IS NOT NULL OR circuit_open_until > ${p.now}
    ORDER BY since DESC NULLS LAST, id LIMIT ${p.limit}`,
);

const LISTED = 1_000;

export const endpointsSection: Section = {
  name: 'endpoints',
  async read({ db, systemNow }) {
    const found = await run(db, endpoints, { now: systemNow(), limit: LISTED });
    const open = found.filter(({ state }) => state === 'open');
    const lines = open.map(
      ({ id, failures, since }) =>
        `circuit open: ${id}, ${failures} failures since ${since?.toISOString() ?? 'now'}`,
    );
    return {
      facts: found,
      lines: [
        `${open.length} with an open circuit, ${found.length - open.length} disabled`,
        ...firstOf(lines, 3),
      ],
      isBad: false,
    };
  },
};

const suspended = sql<{ id: string; name: string; suspended_at: Date; suspended_reason: string | null }>(
  'status_of_suspended_merchants',
  `SELECT id, name, suspended_at, suspended_reason FROM merchants WHERE suspended_at IS NOT NULL ORDER BY id`,
);

export const merchantsSection: Section = {
  name: 'merchants',
  async read({ db }) {
    const found = await run(db, suspended, []);
    const lines = found.map(
      ({ id, name, suspended_at }) => `${id} ${name}, since ${suspended_at.toISOString()}`,
    );
    return {
      facts: { suspended: found },
      lines: [`${found.length} suspended`, ...firstOf(lines, 3)],
      isBad: false,
    };
  },
};

export const actionsSection: Section = {
  name: 'operators',
  async read({ db }) {
    const actions = await listActions(db, 3);
    const lines = actions.map(({ at, actor, command }) => `${at.toISOString()} ${actor}: ${command}`);
    return {
      facts: actions,
      lines: lines.length === 0 ? ['no command has changed anything'] : lines,
      isBad: false,
    };
  },
};
