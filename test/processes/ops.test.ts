import { expect } from 'chai';
import express from 'express';
import supertest from 'supertest';
import { operatorPages, STUCK_PATH } from '../../src/http/operators/pages.ts';
import { schedule } from '../../src/domain/schedule/store.ts';
import { DrainWatch } from '../../src/domain/ops/drain.ts';
import { leaseAll } from '../support/lease.ts';
import type { Fault } from '../../src/domain/ops/health/monitor.ts';
import { newProcess, recordBeat } from '../../src/domain/ops/health/processes.ts';
import { openDb } from '../../src/platform/postgres/db.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { defineJob } from '../../src/domain/schedule/job.ts';
import { messageOf } from '../../src/platform/log.ts';
import { OpsUsageError } from '../../src/processes/setup/shared/command.ts';
import { OPS_COMMANDS, parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { openShop } from '../support/shop.ts';
import { until } from '../support/until.ts';
import { build, endAll, startProcess } from './service.ts';

const job = defineJob('refund.send', 'refunds');

interface StatusFacts {
  readonly sections: { readonly health: unknown };
}

describe('npm run ops', function () {
  this.timeout(60_000);
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
    const { db, now } = harness.ctx;
    await schedule(db, [{ job, key: 'ref_1', runAt: now(), testClock: null }]);
    await db('scheduled_jobs')
      .where({ key: 'ref_1' })
      .update({ failures: 30, last_error: 'away', visible_at: 'infinity', parked_at: now() });
  });
  afterEach(async () => {
    await endAll();
    await harness.close();
  });

  const ops = async (...args: string[]) => {
    const command = parseOpsCommand(args);
    if ('help' in command) throw new Error('help');
    return command.run(harness.ctx, output);
  };
  const written: string[] = [];
  const output = {
    progress: () => undefined,
    write: async (text: string) => void written.push(text),
    end: () => Promise.resolve(),
  };

  it('stuck lists the stuck jobs and says why, and --release makes them due', async () => {
    const { text, facts } = await ops('stuck');
    expect(text).to.equal('refund.send  ref_1  30 failures, parked since 2026-01-31T12:00:00.000Z: away');
    expect(facts).to.have.property('stuck').with.lengthOf(1);
    expect((await ops('stuck', '--job', 'payment.settle')).text).to.equal('No job is stuck.');
    expect((await ops('stuck', '--release', '--key', 'ref_2')).text).to.equal('No job was parked.');
    expect((await ops('stuck', '--release', '--job', job.name)).text).to.equal(
      'released  refund.send  ref_1',
    );
    expect((await ops('stuck')).text).to.equal('No job is stuck.');
  });

  it('reconcile says how many jobs were missing', async () => {
    expect(await ops('reconcile')).to.deep.equal({
      facts: { restored: 0 },
      text: '0 jobs were missing and are scheduled again.',
      changed: { restored: 0 },
    });
  });

  it('requeue makes due what is parked, retried or leased, and nothing else', async () => {
    const { db, now } = harness.ctx;
    const later = addSeconds(now(), 60);
    const jobs = ['ref_leased', 'ref_retried', 'ref_later'].map((key) => ({
      job,
      key,
      runAt: key === 'ref_later' ? later : now(),
      testClock: null,
    }));
    await schedule(db, jobs);
    const hide = (key: string, row: object) => db('scheduled_jobs').where({ key }).update(row);
    await hide('ref_leased', { visible_at: later });
    await hide('ref_retried', { visible_at: later, failures: 2, last_error: 'away' });
    expect((await ops('requeue', '--key', 'ref_2')).text).to.equal(
      'No such job was parked, retried or leased.',
    );
    expect((await ops('requeue', '--job', job.name)).text).to.equal(
      [
        'requeued  refund.send  ref_1  it was parked',
        'requeued  refund.send  ref_leased  it was leased',
        'requeued  refund.send  ref_retried  it was waiting after a failure',
      ].join('\n'),
    );
    const due = await leaseAll(db, now(), later, new Set([job.name]));
    expect(due.map(({ key, failures }) => `${key} ${failures}`).sort()).to.deep.equal([
      'ref_1 0',
      'ref_leased 0',
      'ref_retried 0',
    ]);
  });

  it('requeue by payment finds the jobs of its events and refunds as well', async () => {
    const id = await (await openShop(harness)).create();
    await harness.ctx.db('scheduled_jobs').update({ visible_at: addSeconds(harness.ctx.now(), 30) });
    const { facts } = await ops('requeue', '--payment', id);
    const [event] = await harness.ctx.db('events').pluck('id');
    // The expiry is due by its own time, in an hour.
    expect(facts).to.deep.equal({ requeued: [{ job: 'event.fan-out', key: event, was: 'leased' }] });
  });

  it('verify says that all is well, or what is not', async () => {
    const sound = await ops('verify');
    expect(sound.isBad).to.equal(false);
    expect(sound.text).to.include('All invariants hold: 0 payments');
    const id = await (await openShop(harness)).create();
    await harness.ctx.db('scheduled_jobs').where({ key: id }).delete();
    const { facts, text, isBad } = await ops('verify', '--since', '2026-01-31');
    expect(isBad).to.equal(true);
    expect(text).to.match(/^BROKEN {2}due work .* 1 offender/);
    expect(text).to.include(id);
    expect(facts).to.include({ ok: false, offenders: 1, since: '2026-01-31T00:00:00.000Z' });
    const own = await ops('verify', '--merchant', harness.merchant.id);
    expect(own).to.include({ isBad: true });
    expect(own.text).to.match(/^ +1 {2}payments .*\nBROKEN {2}due work .* 1 offender/ms);
    const { id: other } = await harness.addMerchant();
    expect((await ops('verify', '--merchant', other)).text).to.include('All invariants hold: 0 payments');
    await ops('reconcile');
    expect((await ops('verify')).isBad).to.equal(false);
  });

  it('status names what is wrong first, and says why it exits with 1', async () => {
    // The harness has no worker, and a job is parked.
    const { text, facts, isBad } = await ops('status');
    expect(isBad).to.equal(true);
    const lines = text.split('\n');
    expect(lines[0]).to.match(/^WRONG processes +none reports itself/);
    expect(text).to.match(/^WRONG stuck +refund.send ref_1: 30 failures: away$/m);
    expect(lines.findIndex((line) => line.startsWith('ok'))).to.be.above(
      lines.findLastIndex((line) => line.startsWith('WRONG')),
    );
    expect(lines.at(-1)).to.match(/^Wrong: processes, .*stuck/);
    expect(lines).to.have.lengthOf.at.most(40);
    const { sections } = facts as { sections: Record<string, { ok: boolean }> };
    expect(sections).to.deep.include.keys('queues', 'jobs', 'networks', 'feed', 'database', 'partitions');
    expect([sections['jobs']?.ok, sections['drain']?.ok, sections['schema']?.ok]).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it('status is bad for whatever degrades /v1/status, and says it in its words', async () => {
    const { db, now } = harness.ctx;
    const processes = [newProcess('web', now()), newProcess('worker', now())] as const;
    const report = (faults: readonly Fault[] = []) =>
      Promise.all(processes.map((one) => recordBeat(harness.ctx, one, { faults })));
    await db('scheduled_jobs').delete();
    await report();
    const checks = async () => ((await ops('status')).facts as StatusFacts).sections.health;
    expect(await checks()).to.deep.equal({ ok: true, facts: { checks: [], maintenance: false } });

    // What only a process finds that looks for a while: a queue that is paused, workers that hang.
    const paused = { check: 'queues', reason: 'settlement: 1 job is due, and none has been finished' };
    await report([paused]);
    expect(await checks()).to.deep.equal({ ok: false, facts: { checks: [paused], maintenance: false } });
    await report();
    await db('processes').where({ kind: 'web' }).update({ clock_offset_ms: 600_000 });
    expect((await ops('status')).text).to.match(
      /^WRONG health +clocks: the clocks of 1 other processes are off$/m,
    );
    await report();
    await db.raw(`CREATE OR REPLACE FUNCTION probe_disk() RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not write: No space left on device' USING ERRCODE = '53100'; END $$`);
    const full = await ops('status');
    expect(full.text).to.match(/^WRONG health +postgres: Postgres: disk full$/m);
    expect(full.isBad).to.equal(true);
  });

  it('status leaves no row of its own among the processes', async () => {
    await ops('status');
    expect(await harness.ctx.db('processes').pluck('id')).to.deep.equal([]);
  });

  it('status names a process that is connected and does not report itself', async () => {
    const { ctx } = harness;
    await recordBeat(ctx, newProcess('watcher', ctx.now()), {});
    const name = `watcher ${process.pid}`;
    const db = openDb({ url: ctx.config.databaseUrl, poolSize: 1, acquireMs: 5_000, queryMs: 5_000, name });
    await db.raw('SELECT 1');
    expect((await ops('status')).text)
      .to.match(/processes +1 watcher$/m)
      .and.not.include('frozen');
    harness.advance(20);
    expect((await ops('status')).text).to.match(/watcher \d+ on .* has not reported for 20 s: it is frozen/);
    await db.destroy();
    // Postgres ends a connection at its side after the client has closed it.
    const isGone = async () => !(await ops('status')).text.includes('frozen');
    await until('the connection is closed on both sides', isGone);
  });

  it('connections computes what a topology needs, and is bad where max_connections is less', async () => {
    const few = await ops('connections', '--web', '1', '--workers', '1');
    expect(few.facts).to.deep.include({ each: { web: 22, worker: 41, watcher: 15 }, needed: 76 });
    expect(few.isBad).to.equal(false);
    const many = await ops('connections', '--web', '20', '--workers', '20');
    expect(many.isBad).to.equal(true);
    expect(many.text).to.match(/ = 1273; max_connections is \d+: too few\.$/);
    const watched = await ops('connections', '--web', '1', '--workers', '1', '--watchers', '2');
    expect(watched.facts).to.include({ needed: 106 });
    expect(watched.text).to.include(' + 2 watchers x 15 + ');
  });

  it('status names late jobs by their own time, also while a lease hides them', async () => {
    await (await openShop(harness)).create();
    harness.advance(600);
    const { now, db } = harness.ctx;
    await db('scheduled_jobs')
      .where({ job: 'event.fan-out' })
      .update({ visible_at: addSeconds(now(), 30) });
    expect((await ops('status')).text).to.match(/event\.fan-out: 1 late, the oldest by 10 min$/m);
  });

  it('drain stops the relay until --off, and status says so', async () => {
    const { db } = harness.ctx;
    expect((await ops('drain')).text).to.match(/^Workers take work: 0 in queues, 0 jobs leased/);
    await ops('drain', '--on', '--reason', 'new disk');
    expect(await new DrainWatch().isOn(db)).to.equal(true);
    expect((await ops('status')).text).to.match(/^WRONG drain +ON for 0 s, nothing moves: new disk/m);
    const idle = await ops('drain', '--wait');
    expect(idle.text).to.equal('Workers are idle: nothing is under way.');
    expect(idle.isBad).to.not.equal(true);
    expect((await ops('drain', '--off')).text).to.equal('Workers take work again.');
    expect((await ops('drain', '--off')).text).to.equal('Workers were not drained.');
    expect(await new DrainWatch().isOn(db)).to.equal(false);
  });

  it('drain --wait says what is still under way', async () => {
    const { db, now } = harness.ctx;
    const id = harness.merchant.id;
    await db('webhook_endpoints').insert({
      id,
      merchant_id: id,
      leased_by: 'run',
      leased_until: addSeconds(now(), 20),
    });
    await ops('drain', '--on');
    const { text, isBad } = await ops('drain', '--wait', '--timeout', '0');
    expect([text, isBad]).to.deep.equal([
      'Not idle after 0 s: 0 in queues, 0 jobs leased, deliveries to 1 endpoints.',
      true,
    ]);
  });

  it('suspend-merchant refuses its keys, and its payments go on', async () => {
    const shop = await openShop(harness);
    const id = await shop.create();
    const { id: merchant } = harness.merchant;
    await ops('suspend-merchant', '--merchant', merchant, '--reason', 'fraud');
    for (const [method, path] of [
      ['get', '/v1/payments'],
      ['post', '/v1/payment'],
    ] as const) {
      const { body } = await harness.api(method, path).send({}).expect(403);
      expect(body).to.include({
        error: 'Forbidden',
        message: 'The merchant is suspended by the operator of this service, who knows why.',
      });
    }
    await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    expect((await shop.payment(id)).status).to.equal('SETTLED');
    expect((await ops('status')).text).to.include('1 suspended');
    await ops('suspend-merchant', '--merchant', merchant, '--resume');
    harness.advance(11);
    await harness.api('get', '/v1/payments').expect(200);
  });

  it('keys lists, adds, revokes and replaces keys, and shows no key but a new one', async () => {
    const { id, apiKey } = harness.merchant;
    await harness.api('get', '/v1/payments').expect(200);
    const used = async () => {
      const { facts } = await ops('keys', '--merchant', id);
      return (facts as { keys: { prefix: string; last_used_at: Date | null; revoked_at: Date | null }[] })
        .keys;
    };
    await until('the use of the key is recorded', async () => (await used())[0]?.last_used_at !== null);
    expect((await ops('keys', '--merchant', id)).text).to.match(
      /^sk_test_[\w-]{5}\.\.\. {2}created .* used /,
    );
    expect((await ops('keys', '--merchant', id)).text).to.not.include(apiKey);
    const { facts } = await ops('keys', '--merchant', id, '--rotate', apiKey.slice(0, 13));
    const { api_key: second } = facts as { api_key: string };
    await harness.api('get', '/v1/payments', second).expect(200);
    await ops('keys', '--merchant', id, '--add', '--permissions', 'payments:read');
    await ops('keys', '--merchant', id, '--revoke', second.slice(0, 13));
    expect((await used()).map(({ revoked_at }) => revoked_at !== null)).to.deep.equal([true, true, false]);
    harness.advance(11);
    await harness.api('get', '/v1/payments').expect(401);
    const recorded = JSON.stringify(await harness.ctx.db('operator_actions').select());
    expect(recorded).to.include('"rotate"').and.to.include('"revoke"');
    for (const secret of [apiKey, second]) expect(recorded).to.not.include(secret);
  });

  it('keys replaces a key by one that ends when it does, and is taken from where it was', async () => {
    const { id, apiKey } = harness.merchant;
    const limits = {
      name: 'Shop',
      expires_at: new Date('2027-01-01T00:00:00.000Z'),
      allowed_addresses: ['192.0.2.0/24'],
    };
    await harness.ctx.db('api_keys').update(limits);
    const { facts } = await ops('keys', '--merchant', id, '--rotate', apiKey.slice(0, 13));
    await harness.api('get', '/v1/payments', (facts as { api_key: string }).api_key).expect(403);
    expect(
      await harness.ctx.db('api_keys').whereNull('revoked_at').select(Object.keys(limits)),
    ).to.deep.equal([limits]);
  });

  it('export writes every row of a kind once, as NDJSON and as CSV', async () => {
    const shop = await openShop(harness);
    const ids = [];
    for (const order_id of ['a', 'quoted "b", and\nmore', 'c']) {
      harness.advance(60);
      ids.push(await shop.create({ order_id }));
    }
    const [first = ''] = ids;
    await shop.pay(first);
    await shop.mine(12);
    const exported = async (...args: string[]) => {
      written.length = 0;
      await ops('export', '--merchant', harness.merchant.id, '--kind', ...args);
      return written.join('');
    };
    const rows = async (...args: string[]) => {
      const lines = (await exported(...args)).split('\n').filter(Boolean);
      const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(all.pop()).to.deep.equal({ end: true, rows: all.length });
      return all;
    };
    expect((await rows('payments')).map(({ id }) => id)).to.deep.equal(ids);
    expect((await rows('payments', '--from', '2026-01-31T12:02:00Z')).map(({ id }) => id)).to.deep.equal(
      ids.slice(1),
    );
    const { address, tx_hash, network } = await shop.payment(first);
    const [transfer, ...others] = await rows('transfers');
    expect(others).to.deep.equal([]);
    expect(transfer).to.include({ amount: '10.50', network, address, tx_hash, wallet_id: null });
    expect((await rows('ledger')).map(({ kind }) => kind)).to.deep.equal([
      'received',
      'converted',
      'settled',
    ]);
    expect(await rows('events')).to.have.length(6);
    expect(await rows('refunds')).to.deep.equal([]);
    const csv = await exported('payments', '--format', 'csv');
    expect(csv)
      .to.match(/^id,order_id,.*\r\n/)
      .and.to.include('"quoted ""b"", and\nmore"');
    expect(JSON.stringify(await rows('payments'))).to.not.include('token');
  });

  it('refuses what it does not know, and says what to write', () => {
    for (const [args, fault] of [
      [[], 'A command is missing.'],
      [['park'], 'There is no command park.'],
      [['toString'], 'There is no command toString.'],
      [['stuck', '--all'], "Unknown option '--all'"],
      [['reconcile', '--release'], "Unknown option '--release'"],
      [['keys'], 'keys needs --merchant.'],
      [['drain', '--on', '--reason', 'x\nok  money'], '--reason must be one line'],
      [['suspend-merchant', '--reason', '\u001B[2J'], '--reason must be one line'],
      [['requeue', '--job'], "Option '--job <value>' argument missing"],
    ] as const)
      try {
        parseOpsCommand(args);
        expect.fail(args.join(' '));
      } catch (error) {
        expect(error).to.be.instanceOf(OpsUsageError);
        expect(messageOf(error)).to.include(fault).and.to.include('Usage: npm run ops -- ');
      }
  });

  it('refuses values that it cannot read', async () => {
    for (const [args, fault] of [
      [['verify', '--since', 'monday'], '--since monday is no time'],
      [['requeue'], 'requeue needs --job, --key or --payment'],
      [['drain', '--on', '--off'], 'drain takes --on or --off, not both'],
      [['drain', '--wait'], 'Workers are not drained: write drain --on --wait'],
      [['drain', '--timeout', 'soon'], '--timeout soon is no number of seconds'],
      [['keys', '--merchant', 'mer_x'], 'There is no merchant mer_x'],
      [['keys', '--merchant', 'mer_x', '--add', '--permissions', 'all'], 'There is no permission all'],
      [['suspend-merchant', '--merchant', 'mer_x'], 'There is no merchant mer_x'],
      [['verify', '--after', 'pay_1'], '--after is for verify --chain.'],
      [['verify', '--chain', '--network', 'tron'], 'No provider of tron is known here'],
      [['export', '--merchant', 'mer_x', '--kind', 'payments'], 'There is no merchant mer_x'],
      [['export', '--merchant', 'mer_x', '--kind', 'keys'], '--kind keys is not one of payments, transfers'],
      [['export', '--merchant', 'mer_x', '--kind', 'events', '--json'], 'export --json needs --out FILE'],
    ] as const) {
      const error: unknown = await ops(...args).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(OpsUsageError);
      expect(messageOf(error)).to.include(fault);
    }
  });

  it('has help for all commands and for each of them', () => {
    expect(parseOpsCommand(['--help']))
      .to.have.property('help')
      .that.includes('Usage: npm run ops -- COMMAND');
    for (const [name, { options }] of Object.entries(OPS_COMMANDS)) {
      const asked = parseOpsCommand([name, '--help']);
      expect(asked).to.have.property('help').that.includes(`Usage: npm run ops -- ${name} `);
      for (const option of [...Object.keys(options), 'json'])
        expect(asked).to.have.property('help').that.includes(`--${option} `);
    }
  });

  it('is a program of the build, which prints JSON', async () => {
    build();
    const env = { NODE_ENV: 'test', DATABASE_URL: harness.ctx.config.databaseUrl };
    const process_ = startProcess('ops', env, ['stuck', '--json']);
    expect(await process_.ended()).to.equal(0);
    const { stuck } = JSON.parse(process_.output()) as { stuck: { key: string }[] };
    expect(stuck.map(({ key }) => key)).to.deep.equal(['ref_1']);
  });

  it('exits with 1 when something is wrong, and with 2 for a mistake in the command line', async () => {
    build();
    const env = { NODE_ENV: 'test', DATABASE_URL: harness.ctx.config.databaseUrl };
    const verified = startProcess('ops', env, ['verify', '--json']);
    expect(await verified.ended()).to.equal(0);
    expect(JSON.parse(verified.printed())).to.include({ ok: true });
    const id = await (await openShop(harness)).create();
    await harness.ctx.db('scheduled_jobs').where({ key: id }).delete();
    const broken = startProcess('ops', env, ['verify', '--json']);
    expect(await broken.ended()).to.equal(1);
    expect(JSON.parse(broken.printed())).to.include({ ok: false, offenders: 1 });
    const mistaken = startProcess('ops', env, ['verify', '--all']);
    expect(await mistaken.ended()).to.equal(2);
    expect(mistaken.output()).to.match(/^Unknown option '--all'.*\n\nUsage: npm run ops -- verify/);
  });

  it('has the same beside the board and in the metrics, behind the password', async () => {
    const app = express();
    const state = { kind: 'web', health: harness.health, queues: () => [] } as const;
    app.use(operatorPages(harness.ctx, 'sesame', null, state, 60_000));
    await supertest(app).get(STUCK_PATH).expect(401);
    const page = await supertest(app).get(STUCK_PATH).auth('admin', 'sesame').expect(200);
    expect(page.text).to.include('refund.send  ref_1  30 failures');
    const metrics = await supertest(app).get('/metrics').auth('admin', 'sesame').expect(200);
    expect(metrics.text).to.include('due_work_stuck{job="refund.send"} 1');
  });
});
