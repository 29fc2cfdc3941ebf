import { readdir, readFile, readlink } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eachShop } from '../support/each-shop.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import { BEGIN, type Harness } from '../support/harness.ts';
import { PASSPHRASE } from '../support/key-file.ts';
import { NO_RATES } from '../support/rate-sites.ts';
import { SignerStand } from '../support/signer-stand.ts';
import { build, endAll, startProcess, type ProcessName, type Service } from './service.ts';

describe('the key of the signer', function () {
  this.timeout(120_000);
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: SignerStand;
  before(function () {
    if (platform() !== 'linux') this.skip();
    build();
  });
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new SignerStand(standOf(), harness, shop);
    await stand.begin();
    await stand.restart();
    await stand.writeFiles();
  });
  afterEach(async () => {
    await endAll();
    await stand.close();
  });

  /** What a process was given and has open, and what it may have loaded. */
  const shownBy = async ({ pid }: Service) => {
    const folder = `/proc/${pid}`;
    const names = await readdir(join(folder, 'fd'));
    const open = await Promise.all(names.map((name) => readlink(join(folder, 'fd', name)).catch(() => '')));
    const texts = ['environ', 'cmdline', 'maps'].map((name) => readFile(join(folder, name), 'latin1'));
    return [...open, ...(await Promise.all(texts))].join('\n');
  };
  const secrets = () => [
    stand.folder,
    stand.file,
    'key.json',
    PASSPHRASE,
    stand.secret.toString('hex'),
    stand.secret.toString('base64'),
    'SIGNER_DATABASE_URL',
    'SIGNER_CONFIG',
  ];

  it('is in no environment, argument and open file of web, worker and watcher; the signer has it', async () => {
    const env = {
      NODE_ENV: 'test',
      PORT: '0',
      DATABASE_URL: harness.ctx.config.databaseUrl,
      SIGNER_REFUNDS: 'mer_01J0ABCDEFGHJKMNPQRSTVWXYZ/ethereum',
    };
    const chains = { RPC_URLS_ETHEREUM: standOf().anvil.url, ...NO_RATES };
    const start = (name: ProcessName, more: Record<string, string> = {}) =>
      startProcess(name, { ...env, ...more });
    const others = [
      [start('web'), 'listening'],
      [start('worker'), 'working'],
      [start('watcher', chains), 'watching'],
    ] as const;
    for (const [process, said] of others) {
      await process.says(said);
      const shown = await shownBy(process);
      expect(shown).to.include('DATABASE_URL');
      for (const secret of secrets()) expect(shown).to.not.include(secret);
    }
    const own = { SIGNER_DATABASE_URL: stand.signerUrl, SIGNER_CONFIG: stand.file };
    const signer = startProcess('signer', { NODE_ENV: 'test', ...own });
    await signer.says('signing');
    const shown = await shownBy(signer);
    expect(shown, 'what is looked for would be found').to.include(join(stand.folder, 'journal'));
    expect(shown).to.include('SIGNER_CONFIG');
    for (const text of [shown, signer.output()])
      for (const secret of [PASSPHRASE, stand.secret.toString('hex')]) expect(text).to.not.include(secret);
  });

  it('stays shut for what cannot be right: each start that is refused says why, without a stack', async () => {
    const own = { NODE_ENV: 'test', SIGNER_DATABASE_URL: stand.signerUrl, SIGNER_CONFIG: stand.file };
    const refusal = async (env: Record<string, string>, args: string[] = []) => {
      const process = startProcess('signer', env, args, { mayFail: true });
      expect(await process.ended()).to.equal(1);
      expect(process.output()).to.not.match(/\n {4}at /);
      return process.output();
    };
    expect(await refusal({ NODE_ENV: 'test' })).to.match(
      /SIGNER_CONFIG is not set[^]*SIGNER_DATABASE_URL is not set/,
    );
    expect(await refusal({ ...own, SIGNER_CONFIG: '/missing' })).to.match(/cannot be read \(ENOENT\)/);
    expect(await refusal(own, ['sign'])).to.match(/^Usage: signer/);
    expect(await refusal(own, ['register', '--network', 'ethereum', '--nonce', 'x'])).to.match(
      /^--nonce is how many/,
    );
    const running = startProcess('signer', own);
    await running.says('signing');
    expect(await refusal(own)).to.match(/^Another signer has the journal/);
    running.signal('SIGTERM');
    expect(await running.ended()).to.equal(0);
    stand.settings = { journal: join(stand.folder, 'other') };
    await stand.writeFiles();
    expect(await refusal(own)).to.match(/is not registered on ethereum/);
    const worker = new URL(harness.ctx.config.databaseUrl);
    const role = new URL(stand.signerUrl);
    [worker.username, worker.password] = [role.username, 'wrong'];
    stand.settings = { networks: {} };
    await stand.writeFiles();
    expect(await refusal({ ...own, SIGNER_DATABASE_URL: 'mysql://x' })).to.match(/SIGNER_DATABASE_URL must/);
  });
});
