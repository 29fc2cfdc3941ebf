import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { TRANSITIONS, type Transition } from '../../src/domain/payments/lifecycle/states.ts';
import { KNOWN_VARIABLES, readConfig } from '../../src/platform/config/config.ts';
import { REFUSAL_REASONS } from '../../src/sdk/index.ts';
import { startReceiver } from '../support/receivers.ts';
import { createHarness } from '../support/harness.ts';
import { ROOT } from './service.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const README = read('README.md');

/** The rows of the table whose head begins with `first`, cells trimmed. */
function table(first: string): string[][] {
  const lines = README.split('\n');
  const head = lines.findIndex((line) => new RegExp(`^\\| ${first} +\\|`).test(line));
  const rows = lines.slice(head + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe('README', () => {
  it('lists every variable that is read, in their order', () => {
    expect(table('variable').map(([name]) => name)).to.deep.equal([...KNOWN_VARIABLES]);
  });

  it('tells the defaults as they are', () => {
    const config = readConfig({ DATABASE_URL: 'postgres://db/x' });
    const defaultOf = Object.fromEntries(table('variable').map(([name = '', , value]) => [name, value]));
    expect(defaultOf).to.include({
      PORT: String(config.port),
      HOST: `${config.host} (\`npm run dev\`: 127.0.0.1)`,
      PUBLIC_URL: config.publicUrl.replace(String(config.port), 'PORT'),
      WORKER_CONCURRENCY: String(config.workerConcurrency),
      WEBHOOK_RETRY_SECONDS: config.webhookRetrySeconds.join(','),
      WEBHOOK_TIMEOUT_SECONDS: String(config.webhookTimeoutSeconds),
      RATE_LIMIT_SCALE: String(config.rateLimitScale),
      MAINTENANCE: String(config.maintenance),
      LOG_LEVEL: config.logLevel,
    });
  });

  it('tells how a payment moves as the table of transitions does', () => {
    const transitions = Object.entries<Transition>(TRANSITIONS);
    expect(table('cause')).to.deep.equal(
      transitions.map(([cause, { from, to, event }]) => [cause, from.join(', '), to, event]),
    );
  });

  it('names commands, files and processes that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [...README.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name);
    expect(commands).to.include.members(['dev', 'build', 'merchants', 'smoke', 'bench', 'lint']);
    expect(Object.keys(scripts)).to.include.members(commands).and.include('test');
    const programs = [...README.matchAll(/node\s+dist\/processes\/([\w-]+)\.js/g)].map(([, name]) => name);
    expect(programs).to.include.members(['release', 'web', 'worker', 'worker-health', 'merchants']);
    for (const name of programs)
      expect(existsSync(join(ROOT, `src/processes/${name}.ts`)), name).to.equal(true);
    for (const [, path = ''] of README.matchAll(
      /`((?:src|test|domain|http|background|platform|\.ci)\/[^`*]+)`/g,
    ))
      expect(
        [path, `src/${path}`].some((file) => existsSync(join(ROOT, file))),
        path,
      ).to.equal(true);
  });

  it('has a Procfile beside it whose processes exist', () => {
    const lines = read('Procfile').trim().split('\n');
    expect(lines.map((line) => line.split(':')[0])).to.deep.equal(['web', 'worker', 'release']);
    for (const line of lines) {
      const [, name = ''] = /: node dist\/processes\/([\w-]+)\.js$/.exec(line) ?? [];
      expect(existsSync(join(ROOT, `src/processes/${name}.ts`)), line).to.equal(true);
    }
  });

  it('has a docker-compose.yml beside it that hands every variable on', () => {
    const compose = read('docker-compose.yml');
    const handed = [...compose.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name]) => name);
    // The container's own port and address are the defaults.
    const needed = KNOWN_VARIABLES.filter((name) => name !== 'PORT' && name !== 'HOST');
    expect(handed).to.include.members(needed);
    expect(new Set([...handed, 'NODE_ENV'])).to.deep.equal(new Set([...needed, 'NODE_ENV']));
  });

  it('lists the reasons for which a webhook is refused, and the cases of an examination', async () => {
    expect(table('reason').map(([reason]) => reason)).to.deep.equal([...REFUSAL_REASONS]);
    const harness = await createHarness();
    const receiver = await startReceiver();
    const { body } = await harness
      .api('post', '/v1/webhooks/examine')
      .send({ url: receiver.url })
      .expect(200);
    await receiver.close();
    await harness.close();
    expect(table('case').map(([name, , expected]) => [name, expected])).to.deep.equal(
      (body.cases as Record<string, string>[]).map((one) => [one.case, one.expected]),
    );
    expect(README).to.include(`sends ${NUMBERS[body.cases.length]} cases`);
  });
});

const NUMBERS: Readonly<Record<number, string>> = { 7: 'seven', 8: 'eight', 9: 'nine' };
