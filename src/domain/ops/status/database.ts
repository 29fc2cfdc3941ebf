import { feedCheck, holderText, listFeedHolders } from '../../events/holders.ts';
import { missingMigrations } from '../../../platform/postgres/migrate.ts';
import { run, runOne, sql } from '../../../platform/postgres/db.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';
import { VERSION } from '../../../platform/root.ts';
import { findProcesses } from '../health/processes.ts';
import { clockFault } from '../../../platform/database-clock/report.ts';
import { durationText, firstOf, type Section } from './section.ts';

export const schemaSection: Section = {
  name: 'schema',
  async read({ db }) {
    const { missing } = await missingMigrations(db);
    const lacks = `the database lacks ${missing.join(', ')}: run the release`;
    return {
      facts: { version: VERSION, missing },
      lines: [missing.length === 0 ? `of this version, ${VERSION}` : lacks],
      isBad: missing.length > 0,
    };
  },
};

interface Server {
  readonly is_read_only: boolean;
  readonly used: number;
  readonly most: number;
}

const readServer = sql<Server>(
  'status_of_server',
  `SELECT current_setting('transaction_read_only')::boolean AS is_read_only,
     (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
     current_setting('max_connections')::int AS most`,
);

const FULL = 0.9;

export const databaseSection: Section = {
  name: 'database',
  async read({ db, clock }) {
    const server = await runOne(db, readServer, []);
    if (server === null) throw new Error('it returned no row');
    const { is_read_only, used, most } = server;
    const offset = clock?.offsetSeconds ?? 0;
    return {
      facts: { is_read_only, connections: used, max_connections: most, clock_offset_seconds: offset },
      lines: [
        `${is_read_only ? 'READ-ONLY, ' : ''}${used} of ${most} connections`,
        `this machine's clock is ${Math.abs(offset).toFixed(3)} s ${offset < 0 ? 'behind' : 'ahead of'} the database's`,
      ],
      isBad: is_read_only || clockFault(clock) !== null || used > most * FULL,
    };
  },
};

export const replicaSection: Section = {
  name: 'replica',
  async read({ db, replica }) {
    if (replica === undefined) return { facts: null, lines: ['there is none'], isBad: false };
    const found = await replica.look(db);
    const fault = found === null ? null : faultOf(found);
    const why = fault?.reason ?? fault?.error;
    return {
      facts: { serves: fault === null, ...fault },
      // Nothing is lost without it: the primary serves what it would.
      lines: [why === undefined ? 'it serves lists and the feed' : `WARNING: it does not serve: ${why}`],
      isBad: false,
    };
  },
};

export const feedSection: Section = {
  name: 'feed',
  async read({ db }) {
    const { heldSeconds, isLate } = await feedCheck(db);
    const holders = await listFeedHolders(db);
    const old = holders.filter(({ age_seconds: age }) => age === null || age >= 1);
    const text = `held for ${durationText(heldSeconds)} by the oldest transaction that writes events`;
    return {
      facts: { held_seconds: heldSeconds, holders },
      lines: [heldSeconds < 1 ? 'nothing holds it' : text, ...old.map(holderText)],
      isBad: isLate,
    };
  },
};

// Processes name their connections: "worker 4711" (processes/setup/context.ts). `npm run dev` is both.
const connected = sql<{ name: string }>(
  'status_of_connected',
  `SELECT DISTINCT application_name AS name FROM pg_stat_activity
   WHERE datname = current_database() AND application_name ~ '^(web|worker|watcher|dev) [0-9]+$'`,
);

export const processesSection: Section = {
  name: 'processes',
  async read({ db, systemNow }) {
    const now = systemNow();
    const names = (await run(db, connected, [])).map(({ name }) => name);
    const known = (await findProcesses(db, now)).map((one) => ({
      ...one,
      kind: names.includes(`dev ${one.pid}`) ? 'dev' : one.kind,
    }));
    const alive = known.filter(({ isAlive }) => isAlive);
    // One that has ended has no connection. Containers may number their processes alike.
    const frozen = known.filter(
      ({ kind, pid, isAlive }) =>
        !isAlive &&
        names.includes(`${kind} ${pid}`) &&
        !alive.some((other) => other.kind === kind && other.pid === pid),
    );
    const missing = ['web', 'worker'].filter(
      (kind) => !alive.some((one) => [kind, 'dev'].includes(one.kind)),
    );
    const counts = ['web', 'worker', 'watcher', 'dev'].flatMap((kind) => {
      const count = alive.filter((one) => one.kind === kind).length;
      return count === 0 ? [] : [`${count} ${kind}`];
    });
    return {
      facts: known.map(({ kind, host, pid, isAlive, beatAt }) => ({ kind, host, pid, isAlive, beatAt })),
      lines: [
        counts.length === 0 ? 'none reports itself' : counts.join(', '),
        ...missing.map((kind) => `no ${kind} reports itself: ${CONSEQUENCES[kind]}`),
        ...frozen.map(({ kind, pid, host, beatAt }) => {
          const silence = durationText((now.getTime() - beatAt.getTime()) / 1000);
          return `${kind} ${pid} on ${host} is connected, and has not reported for ${silence}: it is frozen`;
        }),
      ],
      isBad: missing.length + frozen.length > 0,
    };
  },
};

const CONSEQUENCES: Readonly<Record<string, string>> = { web: 'nothing is served', worker: 'nothing moves' };

const partitions = sql<{ name: string }>(
  'status_of_partitions',
  `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent IN ('deliveries'::regclass, 'delivery_attempts'::regclass)
     AND c.relname ~ '_[0-9]{8}$'
   ORDER BY right(c.relname, 8) DESC, 1`,
);

export const partitionsSection: Section = {
  name: 'partitions',
  async read({ db, systemNow }) {
    const names = (await run(db, partitions, [])).map(({ name }) => name);
    const today = systemNow().toISOString().slice(0, 10).replaceAll('-', '');
    const ahead = names.filter((name) => name.slice(-8) > today);
    const lines = [`${names.length} weekly ones, ${ahead.length} ahead`];
    return { facts: { names, ahead: ahead.length }, lines: firstOf(lines, 1), isBad: ahead.length === 0 };
  },
};
