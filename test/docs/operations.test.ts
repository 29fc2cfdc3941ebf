import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { USAGE } from '../../src/processes/setup/command-line.ts';
import { OPS_COMMANDS } from '../../src/processes/setup/ops/commands.ts';
import { KNOWN_VARIABLES, readConfig } from '../../src/platform/config/config.ts';
import { SECRET_VARIABLES } from '../../src/platform/config/secret-files.ts';
import { EVM_NETWORK_IDS } from '../../src/networks/networks.ts';
import { filesBelow, read, tableOf, ROOT } from '../support/documents.ts';

const OPERATIONS = read('docs/operations.md');

/** A name with NETWORK in it is that of a variable of each network. */
const ofNetworks = (name: string): string[] =>
  name.endsWith('_NETWORK')
    ? EVM_NETWORK_IDS.map((network) => name.replace(/NETWORK$/, network.toUpperCase()))
    : [name];

describe('docs/operations.md', () => {
  it('lists every variable that is read, in their order', () => {
    const named = tableOf('docs/operations.md', 'variable').map(([name = '']) => name);
    expect(named.flatMap(ofNetworks)).to.deep.equal([...KNOWN_VARIABLES]);
    for (const network of EVM_NETWORK_IDS)
      expect(OPERATIONS).to.match(new RegExp(`NETWORK stands for a network: [^.]*\\b${network}\\b`, 'i'));
  });

  it('states the defaults as they are', () => {
    const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: 'postgres://db/x' });
    const defaultOf = Object.fromEntries(
      tableOf('docs/operations.md', 'variable').map(([name = '', , value]) => [name, value]),
    );
    expect(defaultOf).to.include({
      PORT: String(config.port),
      HOST: `${config.host} (\`npm run dev\`: 127.0.0.1)`,
      PUBLIC_URL: `${config.publicUrl.replace(String(config.port), 'PORT')}; [production](#strict-starts): needed`,
      WORKER_CONCURRENCY: String(config.workerConcurrency),
      WEBHOOK_RETRY_SECONDS: config.webhookRetrySeconds.join(','),
      WEBHOOK_TIMEOUT_SECONDS: String(config.webhookTimeoutSeconds),
      RATE_LIMIT_SCALE: String(config.rateLimitScale),
      MAINTENANCE: String(config.maintenance),
      LOG_LEVEL: config.logLevel,
    });
  });

  it('names programs that exist, and every command of merchants', () => {
    const programs = [...OPERATIONS.matchAll(/node\s+dist\/processes\/([\w-]+)\.js/g)].map(
      ([, name]) => name,
    );
    expect(programs).to.include.members(['release', 'web', 'worker', 'worker-health', 'merchants', 'ops']);
    for (const name of programs)
      expect(existsSync(join(ROOT, `src/processes/${name}.ts`)), name).to.equal(true);
    const [, named = ''] = /npm run merchants -- ([\w|-]+)/.exec(OPERATIONS) ?? [];
    const commands = [...USAGE.matchAll(/^ {2}([a-z][\w-]+)(?: |$)/gm)].map(([, command]) => command);
    expect(named.split('|')).to.have.members([...new Set(commands)]);
  });

  it('lists the variables that may be files', () => {
    const [section = ''] = OPERATIONS.split('### Secrets in files')[1]?.split('\n### ') ?? [];
    const named = [...section.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name);
    const secrets = named.filter((name) => name !== '_FILE');
    expect(secrets.flatMap(ofNetworks)).to.deep.equal([...SECRET_VARIABLES]);
  });

  it('lists every command of operators, in the order of their help', () => {
    expect(tableOf('docs/operations.md', 'command').map(([name]) => name)).to.deep.equal(
      Object.keys(OPS_COMMANDS),
    );
  });

  it("lists the service's own metrics", () => {
    const folders = ['src/http/operators', 'src/platform/metrics'];
    const source = folders.flatMap(filesBelow).map(read).join('\n');
    const gauges = source.matchAll(/\b(?:gauge|Gauge|Counter|Histogram)\(\{\s+name: '(\w+)'/g);
    const names = [...gauges].map(([, name]) => name);
    expect(names).to.have.lengthOf.greaterThan(1);
    expect(tableOf('docs/operations.md', 'metric').map(([name]) => name)).to.have.members(names);
  });
});
