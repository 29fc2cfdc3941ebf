import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError, KNOWN_VARIABLES, readConfig } from '../../../src/platform/config/config.ts';
import { readSecretFiles, SECRET_VARIABLES } from '../../../src/platform/config/secret-files.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const SECRETS = {
  DATABASE_URL: 'postgres://u:hunter2hunter2@db/x',
  DATABASE_DIRECT_URL: 'postgres://checkout:hunter2hunter2@db/x',
  DATABASE_REPLICA_URL: 'postgres://checkout:hunter2hunter2@standby/x',
  REDIS_URL: 'redis://:hunter2hunter2@cache:6379',
  ADMIN_PASSWORD: 'correct horse battery',
  SECRETS_KEY: KEY,
  SMTP_URL: 'smtps://u:hunter2hunter2@mail:465',
  RPC_URLS_ETHEREUM: 'https://rpc.example.com/v3/hunter2hunter2',
  RPC_URLS_POLYGON: 'https://rpc.example.com/v3/hunter2hunter2',
  RPC_URLS_BASE: 'https://rpc.example.com/v3/hunter2hunter2',
  RPC_URLS_ARBITRUM: 'https://rpc.example.com/v3/hunter2hunter2',
  RPC_URLS_OPTIMISM: 'https://rpc.example.com/v3/hunter2hunter2',
  RPC_URLS_BNB: 'https://rpc.example.com/v3/hunter2hunter2',
  BITCOIN_RPC_URL: 'http://checkout:hunter2hunter2@10.0.0.1:8332',
  BITCOIN_ESPLORA_URLS: 'https://blocks.example.com/hunter2hunter2',
} satisfies Record<(typeof SECRET_VARIABLES)[number], string>;

describe('secrets in files', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'secret-files-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const fileOf = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const filesOf = (contents: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(contents).map(([name, content]) => [`${name}_FILE`, fileOf(name, content)]),
    );
  const faultsOf = (env: Record<string, string>) => {
    try {
      readConfig(env, [], { readsChains: true });
      return [];
    } catch (error) {
      expect(error).to.be.instanceOf(ConfigError);
      return (error as ConfigError).message
        .split('\n')
        .slice(1)
        .map((fault) => fault.replace('  - ', ''));
    }
  };

  it('are read by a start of production, without the line break at their end', () => {
    const files = filesOf(
      Object.fromEntries(Object.entries(SECRETS).map(([name, value]) => [name, ` ${value}\n`])),
    );
    const config = readConfig({ NODE_ENV: 'production', PUBLIC_URL: 'https://pay.example', ...files });
    expect(config).to.include({
      databaseUrl: SECRETS.DATABASE_URL,
      redisUrl: SECRETS.REDIS_URL,
      adminPassword: SECRETS.ADMIN_PASSWORD,
      smtpUrl: SECRETS.SMTP_URL,
    });
    expect(config.secretsKeys).to.deep.equal([Buffer.from(KEY, 'base64')]);
  });

  it('belong to variables that exist', () => {
    expect(KNOWN_VARIABLES).to.include.members([...SECRET_VARIABLES]);
  });

  it('leave no path behind, and every other variable as it is', () => {
    const { env, faults } = readSecretFiles({
      ...filesOf({ SECRETS_KEY: KEY }),
      PORT: '1',
      SMTP_URL_FILE: '',
    });
    expect(faults).to.deep.equal([]);
    expect(env).to.deep.equal({ SECRETS_KEY: KEY, PORT: '1', SMTP_URL_FILE: '' });
  });

  for (const name of SECRET_VARIABLES)
    describe(`${name}_FILE`, () => {
      const { [name]: _, ...others } = SECRETS;
      const start = { NODE_ENV: 'production', PUBLIC_URL: 'https://pay.example', ...others };
      const only = (path: string) => {
        const faults = faultsOf({ ...start, [`${name}_FILE`]: path });
        expect(faults).to.have.lengthOf(1);
        expect(faults[0]).not.to.include(path);
        return faults[0];
      };

      it('stops the start beside the variable itself, and names both', () => {
        const both = { ...start, [name]: SECRETS[name], ...filesOf({ [name]: SECRETS[name] }) };
        expect(faultsOf(both)).to.deep.equal([`${name} and ${name}_FILE are both set: set one of them`]);
      });

      it('stops the start when its file is missing, empty or a folder, once', () => {
        expect(only(join(folder, 'missing'))).to.equal(`${name}_FILE names a file that does not exist`);
        expect(only(fileOf('empty', ' \n'))).to.equal(`${name}_FILE names a file that is empty`);
        mkdirSync(join(folder, 'd'));
        expect(only(join(folder, 'd'))).to.equal(`${name}_FILE names a directory`);
      });

      it('never shows what it holds, neither the content of its file nor a secret in place of a path', () => {
        const secret = 'hunter2hunter2';
        expect(only(secret)).not.to.include(secret);
        if (name === 'ADMIN_PASSWORD') return;
        const faults = faultsOf({ ...start, ...filesOf({ [name]: `x:${secret}@[` }) });
        expect(faults).to.have.lengthOf(1);
        expect(faults[0]).to.match(new RegExp(`^${name} (must|has)`));
        expect(faults[0]).not.to.include(secret);
      });
    });

  it('names a misspelt name of a file', () => {
    expect(
      faultsOf({ NODE_ENV: 'test', DATABASE_URL: SECRETS.DATABASE_URL, SECRET_KEY_FILE: '/x' }),
    ).to.deep.equal(['SECRET_KEY_FILE is not a variable of this service: did you mean SECRETS_KEY_FILE?']);
  });
});
