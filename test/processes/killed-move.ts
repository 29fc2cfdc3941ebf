import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { openDb, type Db } from '../../src/platform/postgres/db.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { startProcess, type Service } from './service.ts';
import type { Stand } from './stand.ts';

/** Where the command is killed: in the middle of a statement, by which it does a step or writes it down. */
export const MOMENTS: Readonly<Record<string, readonly [end: 'source' | 'target', when: string]>> = {
  'it is to be announced': ['source', "INSERT ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'announced')"],
  'it is to arrive': ['target', "INSERT ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'arriving')"],
  'payments that rest come': ['target', "INSERT ON payments FOR EACH ROW WHEN (NEW.status = 'EXPIRED')"],
  'the feed comes': ['target', 'INSERT ON events FOR EACH ROW'],
  'writes are to stop': [
    'source',
    'UPDATE ON merchant_moves FOR EACH ROW WHEN (OLD.stopped_until IS NULL AND NEW.stopped_until IS NOT NULL)',
  ],
  'rows are half-way': ['target', "INSERT ON payments FOR EACH ROW WHEN (NEW.status = 'WAITING')"],
  'rows are nearly there': ['target', 'INSERT ON scheduled_jobs FOR EACH ROW'],
  'it is to be decided': ['source', "UPDATE ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'moved')"],
  'routes are switched': ['source', "UPDATE ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'switched')"],
  'its jobs are to go on': [
    'target',
    'UPDATE ON merchant_moves FOR EACH ROW WHEN (NEW.stopped_until IS NULL)',
  ],
  'its fence has fallen': ['target', 'DELETE ON merchant_moves FOR EACH ROW'],
  'it has arrived': ['source', "UPDATE ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'arrived')"],
  'rows are to be forgotten': ['source', 'DELETE ON payments FOR EACH ROW'],
  'it is forgotten': ['source', "UPDATE ON merchant_moves FOR EACH ROW WHEN (NEW.step = 'forgotten')"],
};
/** The moments before the move is decided. */
export const UNDECIDED = Object.keys(MOMENTS).slice(0, 8);
const LOCK = 4711;

/** Commands that move a merchant from a stand's database to another one, and are stopped on their way. */
export interface MoveCommands {
  readonly target: Db;
  /** DATABASE_URL of the target's processes. */
  readonly targetUrl: string;
  /** Of the file of cells. */
  readonly folder: string;
  /** Starts a command with another file of cells. */
  moveBy(file: string, more: readonly string[]): Service;
  move(...more: string[]): Service;
  succeeds(ops: Service): Promise<unknown>;
  /** Lets a command come to the middle of a statement, and wait there for `goOn`. */
  waitWhere(moment: string, ...more: string[]): Promise<Waiting>;
  /** Kills a command in the middle of a statement that it waits in, and ends its connections. */
  kill(waiting: Waiting): Promise<void>;
  close(): Promise<void>;
}

export interface Waiting {
  readonly ops: Service;
  readonly goOn: () => Promise<void>;
  readonly forgetMoment: () => Promise<void>;
}

/** Makes a second cell, with an empty database, and the file of both. */
export async function createMoveCommands(stand: Stand, merchantId: string): Promise<MoveCommands> {
  const database = await createTestDatabase();
  const target = openDb({ url: database.url, poolSize: 5, acquireMs: 10_000, queryMs: 20_000, name: 'test' });
  const folder = await mkdtemp(join(tmpdir(), 'test-cells-'));
  await writeFile(
    join(folder, 'cells.json'),
    JSON.stringify({
      certificate: '/etc/pay.pem',
      default: 'a',
      cells: ['a', 'b'].map((name) => ({
        name,
        webs: ['127.0.0.1:1'],
        environment: { DATABASE_URL: `${name.toUpperCase()}_DATABASE_URL` },
      })),
    }),
  );
  const env = {
    ...(stand.env as Record<string, string>),
    A_DATABASE_URL: String(stand.env.DATABASE_URL),
    B_DATABASE_URL: database.url,
    OPS_ACTOR: 'Ann Lee',
  };
  const moveBy = (file: string, more: readonly string[]): Service =>
    startProcess(
      'ops',
      env,
      ['merchant', 'move', '--merchant', merchantId, '--to', 'b', '--file', file].concat(more),
    );
  const move = (...more: string[]): Service => moveBy(join(folder, 'cells.json'), more);
  const succeeds = async (ops: Service) => expect(await ops.ended(), ops.output()).to.equal(0);
  const waitWhere = async (moment: string, ...more: string[]) => {
    const [end, when] = MOMENTS[moment] ?? ['source', ''];
    const db = end === 'source' ? stand.db : target;
    await db.raw(`CREATE FUNCTION test_wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(${LOCK});
        RETURN coalesce(NEW, OLD);
      END $$`);
    await db.raw(`CREATE TRIGGER a_test_waits BEFORE ${when} EXECUTE FUNCTION test_wait()`);
    // Not of the pool: its transactions end when they are idle.
    const holder = new Client({
      connectionString: end === 'source' ? env.A_DATABASE_URL : env.B_DATABASE_URL,
    });
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(${LOCK})`);
    const ops = move(...more);
    const waits = async () => {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`,
      );
      if (rows.length === 0 && ops.isOver()) throw new Error(`it has ended: ${ops.output()}`);
      return rows.length > 0;
    };
    await until('the command waits', waits, 60_000);
    const goOn = async () => {
      await holder.end();
    };
    const forgetMoment = async () => {
      await db.raw(`DROP TRIGGER a_test_waits ON ${/ ON (\w+)/.exec(when)?.[1] ?? ''}`);
      await db.raw('DROP FUNCTION test_wait()');
    };
    return { ops, goOn, forgetMoment };
  };
  const kill = async ({ ops, goOn, forgetMoment }: Waiting) => {
    ops.signal('SIGKILL');
    await ops.ended();
    for (const one of [stand.db, target])
      await one.raw(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name NOT LIKE 'test%' AND pid <> pg_backend_pid()
           AND application_name LIKE 'ops%'`,
      );
    await goOn();
    await forgetMoment();
  };
  const close = async () => {
    await target.destroy();
    await database.drop();
    await rm(folder, { recursive: true });
  };
  return { target, targetUrl: database.url, folder, moveBy, move, succeeds, waitWhere, kill, close };
}
