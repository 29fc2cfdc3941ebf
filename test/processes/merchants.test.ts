import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { listActions } from '../../src/domain/audit/record.ts';
import { findCaller } from '../../src/domain/merchants/api-keys.ts';
import { messageOf } from '../../src/platform/log.ts';
import { PERMISSIONS } from '../../src/domain/api/endpoint.ts';
import { hashApiKey } from '../../src/platform/values/ids.ts';
import { parseCommand } from '../../src/processes/setup/command-line.ts';
import { UsageError } from '../../src/processes/setup/merchant-commands.ts';
import { joinDesk } from '../support/desk.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { startMailServer } from '../support/mail-server.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { build, endAll, startProcess } from './service.ts';

const SHOP = ['--name', 'Blue shop', '--currency', 'USDT', '--network', 'tron'];

const REFUSED: readonly (readonly [args: readonly string[], message: string])[] = [
  [
    ['create', '--name', 'Shop\nOther', ...SHOP.slice(2)],
    '--name must be one line without control characters.',
  ],
  [[], 'A command is missing.'],
  [['destroy'], 'There is no command destroy.'],
  [['toString'], 'There is no command toString.'],
  [['create', '--name', ' '], 'create needs --name and --currency and --network.'],
  [['create', ...SHOP, '--colour', 'red'], "Unknown option '--colour'"],
  [['list', '--name', 'x'], "Unknown option '--name'"],
  [['create', 'shop', ...SHOP], "Unexpected argument 'shop'"],
  [['create', '--name', 'x', '--currency', 'USDC', '--network', 'bitcoin'], 'USDC on bitcoin cannot be'],
  [['create', ...SHOP, '--permissions', 'payments:read,all'], 'There is no permission all.'],
  [['create', ...SHOP, '--mode', 'demo'], 'There is no mode demo. Choose test or live'],
  [['create', ...SHOP, '--policy', '{late}'], '--policy {late} is no policy: '],
  [['create', ...SHOP, '--policy', '{"late":"never"}'], '--policy {"late":"never"} is no policy: '],
  [['set-policy', '--merchant', 'mer_x'], 'set-policy needs --policy.'],
  [['set-policy', '--merchant', 'mer_x', '--policy', '{}'], 'There is no merchant mer_x'],
  [
    ['set-accepted-methods', '--merchant', 'mer_x', '--methods', 'USDC/bitcoin'],
    '--methods: USDC/bitcoin is no COIN/NETWORK such as ETH/ethereum',
  ],
  [['set-accepted-methods', '--merchant', 'mer_x', '--methods', 'none'], 'There is no merchant mer_x'],
  [['set-spread', '--merchant', 'mer_x', '--bps', '50'], 'There is no merchant mer_x'],
  [['set-spread', '--merchant', 'mer_x', '--bps', '2001'], '--bps must be a whole number from 0 to 2000'],
  [['set-spread', '--merchant', 'mer_x', '--bps', '1e2'], '--bps must be a whole number from 0 to 2000'],
  [['set-time-zone', '--merchant', 'mer_x', '--zone', 'Europe/Berlin'], 'There is no merchant mer_x'],
  [['set-time-zone', '--merchant', 'mer_x', '--zone', '+02:00'], '+02:00 is no time zone such as'],
  [['add-key', '--merchant', 'mer_x'], 'There is no merchant mer_x'],
  [['revoke-key', '--merchant', 'mer_x', '--key', 'sk_x'], 'mer_x has no such key in force'],
  [['invite', '--merchant', 'mer_x', '--email', 'a@b.example'], 'There is no merchant mer_x'],
  [['invite', '--merchant', 'mer_x'], 'invite needs --email.'],
  [
    ['invite', '--merchant', 'mer_x', '--email', 'a@b.example', '--role', 'god'],
    'There is no role god. Choose from owner, developer, support, read-only',
  ],
  [['reset-person', '--email', 'a@b.example'], 'Nobody has this mail address'],
  [['reset-person'], 'reset-person needs --email.'],
  [['reseal-secrets', '--merchant', 'mer_x'], "Unknown option '--merchant'"],
];

describe('npm run merchants', function () {
  this.timeout(60_000);
  let harness: Harness;
  before(async () => {
    build();
    harness = await createHarness();
  });
  afterEach(endAll);
  after(() => harness.close());

  async function merchants(args: string[], env: Record<string, string> = {}) {
    const service = startProcess(
      'merchants',
      { NODE_ENV: 'development', DATABASE_URL: harness.ctx.config.databaseUrl, ...env },
      args,
    );
    return { code: await service.ended(), output: service.output(), printed: service.printed() };
  }

  const callerOf = (key: string) => findCaller(harness.ctx.db, hashApiKey(key));

  it('creates a merchant, and gives and ends keys; --json is one object on one line', async () => {
    const created = await merchants(['create', ...SHOP, '--permissions', 'payments:read', '--json']);
    expect(created).to.include({ code: 0 });
    expect(created.printed).to.match(/^\{.*\}\n$/);
    const facts = JSON.parse(created.printed) as Record<string, string>;
    expect(facts).to.have.all.keys('merchant_id', 'api_key', 'webhook_secret');
    const { merchant_id = '', api_key = '', webhook_secret } = facts;
    expect(webhook_secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await callerOf(api_key)).to.deep.equal({
      merchantId: merchant_id,
      settlementCurrency: 'USDT',
      settlementNetwork: 'tron',
      permissions: ['payments:read'],
      mode: 'test',
      policy: {},
    });

    const added = await merchants(['add-key', '--merchant', merchant_id, '--json']);
    const { api_key: second } = JSON.parse(added.printed) as { api_key: string };
    expect((await callerOf(second))?.permissions).to.deep.equal([...PERMISSIONS]);

    const listed = await merchants(['list']);
    expect(listed.output.split('\n')).to.include.members([
      `${merchant_id}  Blue shop  test  USDT on tron`,
      `  ${api_key.slice(0, 13)}...  payments:read`,
    ]);
    const revoked = await merchants(['revoke-key', '--merchant', merchant_id, '--key', api_key, '--json']);
    expect(JSON.parse(revoked.printed)).to.deep.equal({ merchant_id, revoked: 1 });
    expect([await callerOf(api_key), (await callerOf(second))?.merchantId]).to.deep.equal([
      null,
      merchant_id,
    ]);
  });

  it('logs and writes down each change, with the merchant, the key in part, and who', async () => {
    const lineOf = ({ output, printed }: { output: string; printed: string }) =>
      JSON.parse(output.replace(printed, '')) as Record<string, unknown>;
    const created = await merchants(['create', ...SHOP, '--email', 'owner@shop.example', '--json']);
    const { merchant_id = '', api_key = '' } = JSON.parse(created.printed) as Record<string, string>;
    const line = lineOf(created);
    expect(line).to.include({
      level: 'info',
      message: 'configuration changed',
      change: 'merchant created',
      merchant_id,
      changed_key: api_key.slice(0, 13),
      by: 'merchants create',
    });
    expect(line.user).to.be.a('string').and.not.equal('');
    expect(JSON.stringify(line))
      .to.not.match(/owner@|whsec_/)
      .and.not.include(api_key);
    const revoked = lineOf(
      await merchants(['revoke-key', '--merchant', merchant_id, '--key', api_key, '--json']),
    );
    expect(revoked).to.include({ change: 'API key revoked', merchant_id, changed_key: api_key.slice(0, 13) });
    expect(JSON.stringify(revoked)).to.not.include(api_key);
    const actions = await listActions(harness.ctx.db, 2);
    expect(actions.map(({ command }) => command)).to.deep.equal(['merchants revoke-key', 'merchants create']);
    expect(actions[0]).to.deep.include({ details: { merchant_id, changed_key: api_key.slice(0, 13) } });
    expect(actions[0]?.actor).to.include('@');
    expect(JSON.stringify(actions))
      .to.not.match(/owner@|whsec_/)
      .and.not.include(api_key);
    expect((await merchants(['list'])).output).to.not.include('configuration changed');
  });

  it('invites a person by a link that is stored and written down nowhere, and mails it where there is SMTP', async () => {
    const mail = await startMailServer();
    try {
      const args = ['invite', '--merchant', harness.merchant.id, '--role', 'support', '--json', '--email'];
      const shown = await merchants([...args, 'ann@shop.example']);
      const { link = '', ...facts } = JSON.parse(shown.printed) as Record<string, string>;
      expect(link).to.match(/^http:\/\/localhost:3000\/dashboard\/invitations\/[\w-]{32}$/);
      expect(facts).to.include({ role: 'support', mailed: false });
      const mailed = await merchants([...args, 'bob@shop.example'], { SMTP_URL: mail.url });
      expect(JSON.parse(mailed.printed)).to.include({ mailed: true });
      expect(mail.mails.map(({ to }) => to)).to.deep.equal([['bob@shop.example']]);
      const token = link.split('/').at(-1) ?? '';
      const kept = [await harness.ctx.db('invitations').select(), await listActions(harness.ctx.db, 2)];
      expect(JSON.stringify(kept)).to.not.include(token);
      expect(shown.output.replace(shown.printed, '')).to.not.include(token);
    } finally {
      await mail.close();
    }
  });

  it('begins the account of a person again, by a link that is written down nowhere', async () => {
    const { id } = await joinDesk(harness, 'lost@shop.example');
    const shown = await merchants(['reset-person', '--email', 'Lost@shop.example', '--json']);
    const { link = '', ...facts } = JSON.parse(shown.printed) as Record<string, string>;
    expect(link).to.match(/^http:\/\/localhost:3000\/dashboard\/passwords\/[\w-]{32}$/);
    expect(facts).to.include({ person_id: id });
    const token = link.split('/').at(-1) ?? '';
    expect(shown.output.replace(shown.printed, '')).to.not.include(token).and.not.include('lost@');
    const actions = await listActions(harness.ctx.db, 2);
    expect(actions.map(({ command }) => command)).to.deep.equal(['merchants reset-person', 'person reset']);
    expect(JSON.stringify(actions)).to.not.include(token);
    expect(await harness.ctx.db('totp_factors').select()).to.deep.equal([]);
  });

  it('creates live merchants and sets policies', async () => {
    const created = await merchants([
      'create',
      ...SHOP,
      '--mode',
      'live',
      '--policy',
      '{"late":"refund"}',
      '--json',
    ]);
    expect(created.printed).to.match(/^\{.*\}\n$/);
    const { merchant_id = '', api_key = '' } = JSON.parse(created.printed) as Record<string, string>;
    expect(api_key).to.match(/^sk_live_\S{32}$/);
    expect(await callerOf(api_key)).to.deep.include({ mode: 'live', policy: { late: 'refund' } });
    const set = await merchants([
      'set-policy',
      '--merchant',
      merchant_id,
      '--policy',
      '{"overpaid":"refund_excess"}',
    ]);
    expect(set).to.include({ code: 0 });
    expect(set.output).to.include('{"overpaid":"refund_excess"}');
    expect((await callerOf(api_key))?.policy).to.deep.equal({ overpaid: 'refund_excess' });
    const methods = ['--methods', 'ETH/ethereum,USDC/polygon'];
    const accepted = await merchants(['set-accepted-methods', '--merchant', merchant_id, ...methods]);
    expect(accepted.output).to.include('{"coin":"USDC","network":"polygon"}');
    const row = await harness.ctx.db('merchants').where({ id: merchant_id }).first('accepted_methods');
    expect(row?.accepted_methods).to.deep.equal([
      { coin: 'ETH', network: 'ethereum' },
      { coin: 'USDC', network: 'polygon' },
    ]);
  });

  it('says that live payments are refused while no network has a client; with --json on standard error', async () => {
    const notice =
      /tron has no real client: POST \/v1\/payment .* returns 503 network_unavailable for tron, unless .*SIMULATE_LIVE=true/;
    const plain = await merchants(['create', ...SHOP, '--mode', 'live']);
    expect(plain.printed)
      .to.match(/^merchant_id {5}mer_/)
      .and.match(notice);
    const json = await merchants(['create', ...SHOP, '--mode', 'live', '--json']);
    expect(json.output).to.match(notice);
    expect(json.printed).to.match(/^\{.*\}\n$/);
    for (const { output } of [await merchants(['create', ...SHOP]), await merchants(['list'])])
      expect(output).to.not.include('SIMULATE_LIVE');
  });

  it('without --json prints names and values', async () => {
    const { code, printed } = await merchants(['create', ...SHOP]);
    expect(code).to.equal(0);
    expect(printed).to.match(
      /^merchant_id {5}mer_\w{26}\napi_key {9}sk_test_\S{32}\nwebhook_secret {2}whsec_\S+\n$/,
    );
  });

  it('refuses what it does not understand, with one message that begins with what is wrong', async () => {
    const before = await merchantCount();
    for (const [args, message] of REFUSED) {
      const error: unknown = await commandOf(args).catch((thrown: unknown) => thrown);
      expect(error, message).to.be.instanceOf(UsageError);
      expect(messageOf(error).slice(0, message.length)).to.equal(message);
    }
    expect(await merchantCount()).to.equal(before);
  });

  it('exits with 1 after a refusal, and prints its message without a stack', async () => {
    for (const args of [['destroy'], ['add-key', '--merchant', 'mer_x']]) {
      const { code, output } = await merchants(args);
      expect(code).to.equal(1);
      expect(output)
        .to.match(/^There is no (command destroy|merchant mer_x)/)
        .and.not.include('    at ');
    }
  });

  it('in production refuses to seal secrets without SECRETS_KEY, or with another one than the others', async () => {
    const unset = await merchants(['create', ...SHOP], { NODE_ENV: 'production' });
    expect(unset.code).to.equal(1);
    expect(unset.output).to.include('SECRETS_KEY is not set');
    const before = await merchantCount();
    const SECRETS_KEY = randomBytes(32).toString('base64');
    const other = await merchants(['create', ...SHOP], { NODE_ENV: 'production', SECRETS_KEY });
    expect(other.code).to.equal(1);
    expect(other.output).to.include('were sealed with another SECRETS_KEY').and.not.include(SECRETS_KEY);
    expect(await merchantCount()).to.equal(before);
  });

  it('creates merchants beside one that moved to another cell, and left no secret', async () => {
    const moved = await merchants(['create', ...SHOP, '--json']);
    const { merchant_id } = JSON.parse(moved.printed) as { merchant_id: string };
    await harness.ctx.db.raw('DELETE FROM webhook_secrets WHERE merchant_id = ?', [merchant_id]);
    expect(await merchants(['create', ...SHOP])).to.include({ code: 0 });
  });

  it('reseals every secret under the first of several keys, and says which key is missing for it', async () => {
    const keys = [1, 2, 3].map(() => randomBytes(32).toString('base64'));
    const own = await createTestDatabase();
    const env = (...some: (string | undefined)[]) => ({
      DATABASE_URL: own.url,
      SECRETS_KEY: some.join(','),
    });
    const [first, second, third] = keys;
    for (const key of [first, second])
      expect(await merchants(['create', ...SHOP], env(key, ...keys))).to.include({ code: 0 });
    const refused = await merchants(['reseal-secrets'], env(third, first));
    expect(refused.code).to.equal(1);
    expect(refused.output).to.match(
      /^SECRETS_KEY lacks the key [0-9a-f]{8}, which a stored secret needs\. Put every key/,
    );
    const resealed = await merchants(['reseal-secrets', '--json'], env(third, second, first));
    expect(resealed).to.include({ code: 0, printed: '{"resealed":2,"answers":0,"wallets":0}\n' });
    const again = await merchants(['reseal-secrets'], env(third));
    expect(again).to.include({
      code: 0,
      printed: 'resealed        0\nanswers         0\nwallets         0\n',
    });
    await own.drop();
  });

  /** What the process does with its arguments, without the process: each would take a second of CPU. */
  async function commandOf(args: readonly string[]): Promise<unknown> {
    const { command, values } = parseCommand(args) ?? {};
    return command?.run(harness.ctx, values ?? {});
  }

  async function merchantCount(): Promise<number> {
    const { rows } = (await harness.ctx.db.raw('SELECT id FROM merchants')) as { rows: unknown[] };
    return rows.length;
  }
});
