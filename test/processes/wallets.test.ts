import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { setEmail } from '../../src/domain/merchants/store.ts';
import { listActions } from '../../src/domain/audit/record.ts';
import { parseCommand } from '../../src/processes/setup/command-line.ts';
import { UsageError } from '../../src/processes/setup/merchant-commands.ts';
import { createHarness, type Harness, type TestMerchant } from '../support/harness.ts';
import { accountKey, bitcoinKey, MNEMONIC, ROOT_KEY, TREASURY } from '../support/wallets.ts';
import { build, endAll, startProcess } from './service.ts';

const FIRST = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

interface Facts {
  readonly wallet_id: string;
  readonly state: string;
  readonly mailed: number | null;
  readonly replaced: string | null;
  readonly unaudited: boolean;
  readonly addresses: readonly { index: number; path: string; address: string }[];
  readonly deployment: { to: string; init_code: string } | null;
}

describe('npm run merchants -- wallet', function () {
  this.timeout(60_000);
  let harness: Harness;
  let merchant: TestMerchant;
  let folder: string;
  before(async () => {
    build();
    harness = await createHarness();
    folder = await mkdtemp(join(tmpdir(), 'wallets-'));
  });
  beforeEach(async () => (merchant = await harness.addMerchant({ mode: 'live' })));
  afterEach(endAll);
  after(async () => {
    await rm(folder, { recursive: true });
    await harness.close();
  });

  async function wallet(
    args: string[],
    { input, env = {} }: { input?: string; env?: Record<string, string> } = {},
  ) {
    const started = startProcess(
      'merchants',
      { NODE_ENV: 'development', DATABASE_URL: harness.ctx.config.databaseUrl, ...env },
      ['wallet', ...args],
      input === undefined ? {} : { input },
    );
    return { code: await started.ended(), output: started.output(), printed: started.printed() };
  }
  const json = async (args: string[], input?: string) => {
    const { code, printed, output } = await wallet([...args, '--json'], input === undefined ? {} : { input });
    expect(code, output).to.equal(0);
    return JSON.parse(printed) as Facts;
  };
  const set = (kind: string, value: string, owner = merchant.id) => [
    'set',
    '--merchant',
    owner,
    '--kind',
    kind,
    '--value',
    value,
  ];

  it('sets a wallet from standard input, shows its first five addresses, and says what to do', async () => {
    const { code, output } = await wallet(set('xpub', '-'), { input: `${accountKey(0)}\n` });
    expect(code, output).to.equal(0);
    for (const text of [
      `0  ${FIRST}  m/44'/60'/0'/0/0`,
      '4  0x15d34AAf',
      'No payment uses it yet',
      'wallet confirm --wallet wal_',
      'has no mail address',
    ])
      expect(output).to.include(text);
    expect(output).to.not.include(accountKey(0));
  });

  it('confirms it with an address of the owner, lists it, and retires it', async () => {
    await setEmail(harness.ctx.db, merchant.id, 'owner@shop.example');
    const first = await json(set('xpub', accountKey(0)));
    expect(first).to.deep.include({ state: 'pending', mailed: 1, unaudited: false, deployment: null });
    const confirm = (id: string, address: string) => ['confirm', '--wallet', id, '--address', address];
    const wrong = await wallet(confirm(first.wallet_id, TREASURY));
    expect(wrong).to.include({ code: 1 });
    expect(wrong.output).to.include('do not confirm');
    expect(await json(confirm(first.wallet_id, FIRST))).to.include({ state: 'in_use', replaced: null });
    const second = await json(set('forwarder', TREASURY));
    expect(second.unaudited).to.equal(true);
    expect(second.deployment?.init_code).to.include(TREASURY.slice(2).toLowerCase());
    expect(await json(confirm(second.wallet_id, TREASURY))).to.include({ replaced: first.wallet_id });
    const { output } = await wallet(['list', '--merchant', merchant.id]);
    expect(output).to.match(new RegExp(`${first.wallet_id}  ${merchant.id}  retired  xpub`));
    expect(output).to.include(`in_use  forwarder (unaudited)  ${TREASURY}`);
    expect(await json(['retire', '--wallet', second.wallet_id])).to.include({ state: 'retired' });
    const actions = await listActions(harness.ctx.db, 5);
    expect(actions.map(({ command }) => command)).to.deep.equal([
      'merchants wallet retire',
      'merchants wallet confirm',
      'merchants wallet set',
      'merchants wallet confirm',
      'merchants wallet set',
    ]);
    expect(actions[1]).to.deep.include({
      details: {
        merchant_id: merchant.id,
        wallet_id: second.wallet_id,
        kind: 'forwarder',
        treasury: TREASURY,
        replaced: first.wallet_id,
      },
    });
    expect(JSON.stringify(actions)).to.not.include(accountKey(0));
  });

  it('sets one of Bitcoin by a descriptor, a zpub, or an xpub with the network, and shows where it goes', async () => {
    const named = await json([...set('xpub', bitcoinKey('xpub', 1)), '--network', 'bitcoin']);
    expect(named.addresses[0]?.path).to.equal("m/84'/0'/1'/0/0");
    const { code, output } = await wallet(set('xpub', '-'), {
      input: `wpkh(${bitcoinKey('xpub', 0)}/0/*)\n`,
    });
    expect(code, output).to.equal(0);
    expect(output).to.match(/^ {2}0 {2}bc1q\w+ {2}m\/84'\/0'\/0'\/0\/0$/m);
    expect(output).to.include('It then takes live payments on bitcoin.');
    const wrong = await wallet([...set('xpub', bitcoinKey('zpub', 2)), '--network', 'ethereum']);
    expect(wrong).to.include({ code: 1 });
    expect(wrong.output).to.include('has no addresses on ethereum');
    expect((await wallet([...set('xpub', bitcoinKey('zpub', 2)), '--network', 'x'])).output).to.include(
      'There is no such network',
    );
  });

  it('sets the default of the installation, for merchants without a wallet', async () => {
    const { output } = await wallet(set('forwarder', TREASURY, 'default'));
    expect(output)
      .to.include('of merchants without a wallet of their own')
      .and.include('Nobody is written to about a default');
    expect(output).to.include('Unaudited: nobody has audited');
    expect(await listActions(harness.ctx.db, 1)).to.have.nested.property(
      '[0].details.merchant_id',
      'default',
    );
  });

  it('exports to a new file, with a header also where nothing came', async () => {
    const { wallet_id } = await json(set('xpub', accountKey(0)));
    const out = join(folder, 'deposits.csv');
    expect(await json(['export', '--wallet', wallet_id, '--out', out])).to.include({
      wallet_id,
      rows: 0,
      file: out,
    });
    expect(await readFile(out, 'utf8')).to.equal('index,path,address,payment_id,network,coin,received\r\n');
    expect((await wallet(['export', '--wallet', wallet_id, '--out', out])).code).to.equal(2);
    const { printed } = await wallet(['export', '--wallet', wallet_id]);
    expect(printed).to.equal('index,path,address,payment_id,network,coin,received\r\n');
    expect((await wallet(['export', '--wallet', wallet_id, '--json'])).output).to.include('needs --out FILE');
    expect((await wallet(['export', '--wallet', wallet_id, '--format', 'pdf'])).output).to.include(
      'csv or ndjson',
    );
  });

  const key = ROOT_KEY.derive("m/44'/60'/0'").privateExtendedKey;
  const hex = `0x${Buffer.from(ROOT_KEY.privateKey ?? []).toString('hex')}`;
  const messageOf = (args: readonly string[]): string => {
    try {
      parseCommand(['wallet', ...args]);
      return '';
    } catch (error) {
      return error instanceof UsageError ? error.message : String(error);
    }
  };
  for (const [what, args] of [
    ['an xprv as the value', set('xpub', key, 'default')],
    ['the private key of a descriptor', set('xpub', `wpkh([73c5da0a/84h/0h/0h]${key}/0/*)`, 'default')],
    ['a seed phrase as one value', set('xpub', MNEMONIC, 'default')],
    ['a seed phrase without quotes', set('xpub', 'test', 'default').concat(MNEMONIC.split(' ').slice(1))],
    ['a private key as the treasury', set('forwarder', hex, 'default')],
    ['a private key behind =', ['set', '--merchant', 'default', '--kind', 'forwarder', `--value=${hex}`]],
    ['a private key as the name of a command', [hex]],
    ['a private key as an option', ['set', `--${hex}`]],
    ['a private key as a wallet', ['export', '--wallet', hex]],
    ['a private key as an address', ['confirm', '--wallet', 'wal_x', '--address', hex]],
  ] as const)
    it(`refuses ${what} before anything else, and repeats nothing of it`, () => {
      const message = messageOf(args);
      expect(message).to.include('Treat it as exposed');
      for (const part of [key.slice(8, 20), hex.slice(8, 20), 'junk', 'test test'])
        expect(message).to.not.include(part);
    });

  it('refuses a secret in the place of any command, and repeats nothing of it', () => {
    for (const secret of [key, hex, MNEMONIC])
      expect(() => parseCommand([secret]))
        .to.throw(UsageError, 'Treat it as exposed')
        .with.property('message')
        .that.does.not.include(secret.slice(8, 20));
  });

  for (const [what, args, input] of [
    ['an argument', set('xpub', key, 'default'), ''],
    ['standard input', set('forwarder', '-', 'default'), MNEMONIC.replaceAll(' ', '\n')],
  ] as const)
    it(`says that a secret is exposed that came by ${what}, and stores, logs and shows nothing of it`, async () => {
      const before = await harness.ctx.db('wallets').count();
      const refused = await wallet([...args], { input, env: { LOG_LEVEL: 'debug' } });
      expect(refused.code).to.equal(1);
      expect(refused.output).to.include('Treat it as exposed');
      for (const part of [key.slice(8, 20), 'junk', 'test test']) expect(refused.output).to.not.include(part);
      expect(await harness.ctx.db('wallets').count()).to.deep.equal(before);
    });

  it('refuses a huge input, and repeats nothing that it does not know', async () => {
    const huge = await wallet(set('xpub', '-'), { input: 'x'.repeat(5_000_000) });
    expect(huge).to.include({ code: 1 });
    expect(huge.output).to.include('too long').and.have.length.below(1_000);
    for (const args of [['set', 'quiet-half'], ['quiet-half'], ['set', '--quiet-half']])
      expect(messageOf(args)).to.include('Usage').and.not.include('quiet-half');
    expect((await wallet(set('xpub', 'quiet-half'))).output)
      .to.include('is no extended')
      .and.not.include('quiet-half');
  });

  it('refuses a merchant, a wallet and a kind that do not exist', async () => {
    expect((await wallet(set('xpub', accountKey(0), 'mer_x'))).output).to.include(
      'There is no merchant mer_x',
    );
    expect((await wallet(set('bitcoin', accountKey(0)))).output).to.include('Choose xpub or forwarder');
    expect((await wallet(['retire', '--wallet', 'wal_x'])).output).to.include('There is no wallet wal_x');
  });
});
