import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { poolOf } from '../../../src/platform/postgres/db.ts';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';
import type { Harness } from '../../support/harness.ts';
import { createPayment, type Listening } from '../../support/http.ts';
import { servedHarness } from '../../support/served-harness.ts';
import { untilWaitingForLocks } from '../../support/locks.ts';
import { until } from '../../support/until.ts';

const PAYMENTS = 2_000;
/** Far more than sockets keep between two processes. */
const METADATA_BYTES = 25_000;
/** Of 200 payments each. */
const PAGES = PAYMENTS / 200;
/** What keys asked for is stored every two seconds, in between. A page of an export is two statements. */
const STORES = 3;

describe('an export whose reader is slow', () => {
  let harness: Harness;
  let server: Listening;
  let ann: DeskPerson;
  servedHarness((opened) => ({ harness, server } = opened));
  before(async () => {
    ann = await joinDesk(harness, 'ann@shop.example');
    await createPayment(harness);
    await harness.ctx.db.raw(
      `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', 'pay_' || lpad(i::text, 26, '0'),
         'token_id', 'copy-' || i, 'address', '0x' || lpad(i::text, 40, '0')))).*
       FROM payments p, generate_series(2, ${PAYMENTS}) AS i`,
    );
    await harness.ctx.db.raw(
      `UPDATE payments SET metadata = jsonb_build_object('text', repeat('x', ${METADATA_BYTES}))`,
    );
    harness.advance(60);
  });
  afterEach(() => (poolOf(harness.ctx.db).onWait = null));

  /** Counts the statements from now on. */
  const countStatements = () => {
    const counts = { statements: 0 };
    poolOf(harness.ctx.db).onWait = () => (counts.statements += 1);
    return counts;
  };
  const FIELDS = 'kind=payments&format=ndjson&currency=USD';
  const headersOf = (person: DeskPerson) => ({
    Cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'Sec-Fetch-Site': 'same-origin',
    'Content-Type': 'application/x-www-form-urlencoded',
  });
  const path = () => `/dashboard/${harness.merchant.id}/exports`;
  const open = (person = ann, fields = FIELDS) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method: 'POST', headers: headersOf(person), agent: false };
      const asked = request(`${server.url}${path()}`, options, resolve);
      asked.on('error', reject);
      asked.end(fields);
    });
  /** What comes of a file, and whether its connection was cut. */
  const readAll = async (file: IncomingMessage) => {
    let text = '';
    try {
      for await (const chunk of file as AsyncIterable<Buffer>) text += chunk.toString('latin1');
      return { text, isCut: false };
    } catch {
      return { text, isCut: true };
    }
  };
  /** What needs as many statements elsewhere: an export that went on would have gone on meanwhile. */
  const workMeanwhile = async () => {
    for (let i = 0; i < 5 * PAGES; i += 1) await harness.api('get', '/v1/payments?limit=1').expect(200);
  };

  it('reads no further, holds no connection, and goes on when its reader does', async () => {
    const file = await open();
    expect(file.statusCode).to.equal(200);
    await workMeanwhile();
    const counts = countStatements();
    await workMeanwhile();
    const meanwhile = counts.statements;
    counts.statements = 0;
    await workMeanwhile();
    const isNothing = Math.abs(counts.statements - meanwhile) <= STORES;
    expect(isNothing, `the export asks for nothing: ${meanwhile}, ${counts.statements}`).to.equal(true);
    expect(poolOf(harness.ctx.db).usedCount).to.equal(0);
    let [bytes, end] = [0, ''];
    for await (const chunk of file as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      end = (end + chunk.toString('latin1')).slice(-100);
    }
    expect(end).to.match(new RegExp(`"end":true,"rows":${PAYMENTS}}\\n$`));
    expect(bytes).to.be.above(PAYMENTS * METADATA_BYTES);
    expect(counts.statements, 'it had read a few pages').to.be.above(meanwhile + PAGES);
  });

  it('ends when its reader leaves, and gives its slot back; more than two of a merchant are refused', async () => {
    const files = [await open(), await open()];
    expect((await open()).statusCode).to.equal(429);
    for (const file of files) file.destroy();
    const statuses: (number | undefined)[] = [];
    await until('a slot is free', async () => {
      const file = await open();
      statuses.push(file.statusCode);
      file.destroy();
      return file.statusCode === 200;
    });
    const counts = countStatements();
    await until('nobody is asked', async () => {
      counts.statements = 0;
      await harness.api('get', '/v1/payments?limit=1').expect(200);
      const one = counts.statements;
      await workMeanwhile();
      return counts.statements <= one * (5 * PAGES + 1);
    });
    expect(poolOf(harness.ctx.db).usedCount).to.equal(0);
  });

  for (const [what, change] of [
    ['is removed', () => harness.ctx.db('memberships').where({ role: 'support' }).delete()],
    ['is signed out', () => harness.ctx.db('person_sessions').delete()],
  ] as const)
    it(`is cut for a reader who ${what} meanwhile`, async () => {
      const bob = await joinDesk(harness, `${what.replace(/ /g, '-')}@shop.example`, { role: 'support' });
      const file = await open(bob);
      expect(file.statusCode).to.equal(200);
      await workMeanwhile();
      await change();
      const { text, isCut } = await readAll(file);
      expect(isCut).to.equal(true);
      expect(text).to.include('"id":"pay_').and.to.not.include('"end":true');
    });

  it('goes on when Postgres ends its connection in the middle of a page', async () => {
    const carl = await joinDesk(harness, 'carl@shop.example');
    const { db } = harness.ctx;
    const file = await open(carl);
    await workMeanwhile();
    const tx = await db.transaction();
    await tx.raw('LOCK TABLE payments IN ACCESS EXCLUSIVE MODE');
    const reading = readAll(file);
    await untilWaitingForLocks(db);
    await db.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await tx.rollback();
    const { text, isCut } = await reading;
    expect(isCut).to.equal(false);
    expect(text).to.match(new RegExp(`"end":true,"rows":${PAYMENTS}}\\n$`));
  });

  it('is reset where it is cut in HTTP/1.0, which has no other sign of a whole file', async () => {
    const dora = await joinDesk(harness, 'dora@shop.example', { role: 'support' });
    const { port, hostname } = new URL(server.url);
    const head = Object.entries(headersOf(dora)).map(([name, value]) => `${name}: ${value}`);
    const socket = connect(Number(port), hostname);
    socket.write(
      [`POST ${path()} HTTP/1.0`, ...head, `Content-Length: ${FIELDS.length}`, '', FIELDS].join('\r\n'),
    );
    const code = new Promise<string>((resolve) => {
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      socket.once('end', () => resolve('an end as of a whole file'));
    });
    await until('the file has begun', () => socket.readableLength > 0 || socket.bytesRead > 0);
    await workMeanwhile();
    await harness.ctx.db('memberships').where({ person_id: dora.id }).delete();
    socket.resume();
    expect(await code).to.equal('ECONNRESET');
  });
});
