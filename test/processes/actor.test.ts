import { expect } from 'chai';
import { recordCommand } from '../../src/processes/setup/actor.ts';
import { COMMANDS } from '../../src/processes/setup/command-line.ts';
import { CHANGES, reportCommand } from '../../src/processes/setup/report-command.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';
import type { OpsOutput } from '../../src/processes/setup/shared/command.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { openShop } from '../support/shop.ts';
import { build, endAll, startProcess } from './service.ts';

const QUIET: OpsOutput = {
  progress: () => undefined,
  write: () => Promise.resolve(),
  end: () => Promise.resolve(),
};

describe('who did what', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness({ OPS_ACTOR: 'Ann Lee' });
  });
  afterEach(async () => {
    await endAll();
    await harness.close();
  });

  const actions = () =>
    harness.ctx.db('operator_actions').orderBy('id').select('actor', 'command', 'details');
  const ops = async (...args: string[]) => {
    const command = parseOpsCommand(args);
    if ('help' in command) throw new Error('help');
    return command.run(harness.ctx, QUIET);
  };

  it('needs OPS_ACTOR where no terminal is, for what changes something or lets it out, and only there', async () => {
    build();
    const env = { NODE_ENV: 'test', DATABASE_URL: harness.ctx.config.databaseUrl };
    const nameless = startProcess('ops', env, ['drain', '--on']);
    expect(await nameless.ended()).to.equal(2);
    expect(nameless.output()).to.include('OPS_ACTOR is not set, and this is no terminal');
    expect(await harness.ctx.db('worker_drain')).to.deep.equal([]);
    expect(await startProcess('ops', env, ['drain']).ended()).to.equal(0);
    const named = startProcess('ops', { ...env, OPS_ACTOR: 'Ann Lee' }, ['drain', '--on']);
    expect(await named.ended()).to.equal(0);
    const [action] = await actions();
    expect(action)
      .to.have.property('actor')
      .that.matches(/^Ann Lee \(.+@.+\)$/);
  });

  it('is known of every command that writes an action down: each of them says so beforehand', () => {
    const merchant = ['--merchant', 'mer_x'];
    for (const [changes, args] of [
      [false, ['status']],
      [false, ['verify']],
      [false, ['stuck']],
      [true, ['stuck', '--release']],
      [true, ['requeue', '--key', 'x']],
      [true, ['drain', '--off']],
      [true, ['reconcile']],
      [true, ['restored']],
      [true, ['export', ...merchant, '--kind', 'payments']],
      [true, ['suspend-merchant', ...merchant]],
      [false, ['keys', ...merchant]],
      [true, ['keys', ...merchant, '--add']],
      [true, ['keys', ...merchant, '--revoke', 'sk_x']],
      [true, ['keys', ...merchant, '--rotate', 'sk_x']],
      [false, ['erase', ...merchant, '--email', 'a@b.example']],
      [true, ['erase', ...merchant, '--email', 'a@b.example', '--confirm']],
    ] as const)
      expect(parseOpsCommand(args), args.join(' ')).to.include({ changes });
  });

  it('is written down of every command on merchants, but those that only read', () => {
    const unwritten = Object.keys(COMMANDS).filter((name) => !Object.hasOwn(CHANGES, name));
    expect(unwritten).to.deep.equal(['list', 'wallet list', 'exchange list']);
    expect(Object.keys(CHANGES).filter((name) => !Object.hasOwn(COMMANDS, name))).to.deep.equal([]);
  });

  it('says of a setting what was before', async () => {
    const { id } = harness.merchant;
    const set = async (name: string, values: Readonly<Record<string, string>>) => {
      const given = { merchant: id, ...values };
      const result = await COMMANDS[name]?.run(harness.ctx, given);
      await reportCommand(harness.ctx, name, given, result ?? {});
    };
    await set('set-spread', { bps: '50' });
    await set('set-spread', { bps: '75' });
    await set('set-policy', { policy: '{"late":"refund"}' });
    await set('set-accepted-methods', { methods: 'ETH/ethereum' });
    expect((await actions()).map(({ command, details }) => [command, details])).to.deep.equal([
      ['merchants set-spread', { merchant_id: id, spread_bps: 50, before: 0 }],
      ['merchants set-spread', { merchant_id: id, spread_bps: 75, before: 50 }],
      ['merchants set-policy', { merchant_id: id, before: {}, policy: '{"late":"refund"}' }],
      ['merchants set-accepted-methods', { merchant_id: id, before: [], methods: 'ETH/ethereum' }],
    ]);
  });

  it('is in the log of the merchant whose payment or refund a command names', async () => {
    const id = await (await openShop(harness)).create();
    await recordCommand(harness.ctx, 'sales retry', { payment: id });
    await recordCommand(harness.ctx, 'payouts hold', { refund: `ref_${'0'.repeat(26)}` });
    const refund = `ref_${'1'.repeat(26)}`;
    const row = {
      id: refund,
      payment_id: id,
      amount: '1',
      currency: 'USDC',
      coin: 'USDC',
      network: 'ethereum',
    };
    const address = `0x${'1'.repeat(40)}`;
    const more = {
      coin_amount: '1',
      address,
      status: 'PENDING',
      source: 'settled',
      created_at: harness.ctx.now(),
    };
    await harness.ctx.db('refunds').insert({ ...row, ...more });
    await recordCommand(harness.ctx, 'payouts hold', { refund });
    const chains = await harness.ctx.db('operator_actions').orderBy('id').pluck('merchant_id');
    expect(chains).to.deep.equal([harness.merchant.id, 'installation', harness.merchant.id]);
  });

  it('erase says what it would do, does it with --confirm, and is written down without the address', async () => {
    const shop = await openShop(harness);
    const customer_email = 'ann@customer.example';
    const { id: merchant } = harness.merchant;
    const ended = await shop.create({ customer_email });
    harness.advance(3_600);
    await harness.work();
    const open = await shop.create({ customer_email });
    const args = ['erase', '--merchant', merchant, '--email', 'ANN@customer.example'];
    expect((await ops(...args)).text).to.equal(
      `${ended}\n${open}\nWould erase the personal data of 2 payments: write --confirm.`,
    );
    expect((await shop.payment(ended)).customer_email).to.equal(customer_email);
    expect(await actions()).to.deep.equal([]);

    const { text, isBad } = await ops(...args, '--confirm');
    expect(text).to.equal(
      `left out  ${open}  it is WAITING: wait until it has ended, or cancel it\nErased the personal data of 1 payments.`,
    );
    expect(isBad).to.equal(true);
    expect((await shop.payment(ended)).customer_email).to.equal(null);
    const [action] = await actions();
    expect(action).to.deep.include({
      command: 'erase',
      details: {
        merchant_id: merchant,
        by: { payment: null, email: 'given', before: null },
        count: 1,
        payments: [ended],
      },
    });
    for (const wrong of [[], ['--payment', 'order-1']])
      expect(
        await ops('erase', '--merchant', merchant, ...wrong).catch((error: unknown) => error),
      ).to.have.property('exitCode', 2);
  });
});
