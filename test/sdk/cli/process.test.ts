import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { endAll, ROOT, startNode, type Service } from '../../processes/service.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment, listen, type Listening } from '../../support/http.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { until } from '../../support/until.ts';

describe('payment-checkout as a process', () => {
  let harness: Harness;
  let service: Listening;
  let home: string;
  let receiver: Receiver;
  before(async () => {
    harness = await createHarness();
    service = await listen(harness.app);
  });
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'test-cli-'));
  });
  afterEach(async () => {
    await endAll();
    await rm(home, { recursive: true });
  });
  after(async () => {
    await service.close();
    await harness.close();
  });

  const start = (...args: string[]): Service =>
    startNode(['--import', 'tsx', 'src/sdk/cli/main.ts', ...args], {
      HOME: home,
      PAYMENT_CHECKOUT_KEY: harness.merchant.apiKey,
      PAYMENT_CHECKOUT_URL: service.url,
    });

  it('killed with -9 while the receiver handles an event, forwards it again, and then the others in order', async () => {
    let isKilled = false;
    const kill: { now?: () => void } = {};
    receiver = await startReceiver({
      answer(_, index) {
        if (index !== 2) return {};
        isKilled = true;
        kill.now?.();
        // The listener is gone before it sees an answer.
        return (response) => void response.destroy();
      },
    });
    const first = start('listen', '--forward-to', receiver.url);
    kill.now = () => first.signal('SIGKILL');
    await first.says('Ctrl-C');
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await createPayment(harness)).id);
    await until('it is killed', () => isKilled);
    expect(await first.ended()).to.equal('SIGKILL');
    const second = start('listen', '--forward-to', receiver.url);
    await until('all came', () => receiver.requests.length >= 6);
    second.signal('SIGINT');
    expect(await second.ended()).to.equal(130);
    const forwarded = receiver.requests.map(
      ({ rawBody }) =>
        (JSON.parse(rawBody.toString()) as { data: { checkout: { id: string } } }).data.checkout.id,
    );
    const [a, b, c, d, e] = ids;
    expect(forwarded).to.deep.equal([a, b, c, c, d, e]);
    expect(first.output() + second.output()).to.not.include(harness.merchant.apiKey);
    await receiver.close();
  });

  it('reports a call that is wrong with exit code 2', async () => {
    const wrong = start('payments', 'list', '--stats', 'x');
    expect(await wrong.ended()).to.equal(2);
    expect(wrong.printed()).to.equal('');
  });

  it('is ended by Ctrl-C while login asks: exit code 130, and no fault of the program', async () => {
    const login = `${process.execPath} --import tsx src/sdk/cli/main.ts login --url ${service.url}`;
    // A pseudo-terminal: the program reads Ctrl-C itself, as on every terminal.
    for (const [typed, expected] of [
      ['\u0003', 130],
      ['\u0004', 1],
    ] as const) {
      const terminal = spawn('script', ['--quiet', '--return', '--flush', '--command', login, '/dev/null'], {
        cwd: ROOT,
        env: { PATH: process.env.PATH, HOME: home },
      });
      let output = '';
      terminal.stdout.on('data', (chunk: Buffer) => {
        const hadAsked = output.includes('API key');
        output += chunk.toString();
        if (!hadAsked && output.includes('API key')) terminal.stdin.write(typed);
      });
      expect((await once(terminal, 'close'))[0], output).to.equal(expected);
      expect(output).to.not.include('fault of the program');
    }
  });

  it('completes words in bash', async () => {
    const script = start('completion', 'bash');
    expect(await script.ended()).to.equal(0);
    const complete = (...words: string[]) => {
      const program = `payment-checkout() { "${process.execPath}" --import tsx src/sdk/cli/main.ts "$@"; }
        ${script.printed()}
        COMP_WORDS=(payment-checkout ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
        _payment_checkout; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', program], { cwd: ROOT, encoding: 'utf8' });
      return { words: stdout.trim().split('\n'), stderr };
    };
    expect(complete('pay')).to.deep.equal({ words: ['payments'], stderr: '' });
    expect(complete('payments', 'cr').words).to.deep.equal(['create']);
    expect(complete('trigger', 'paid').words).to.deep.equal(['paid', 'paid-in-two-parts']);
  });
});
