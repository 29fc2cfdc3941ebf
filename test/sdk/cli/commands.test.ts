import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openCommandLine, type CommandLine } from '../../support/command-line.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment, listen, pay, type Listening } from '../../support/http.ts';
import { startReceiver } from '../../support/receivers.ts';

const NOBODY = 'pay_01M7X9Y9E5YM9A1356S2WPNB4R';

describe('the command line', () => {
  let harness: Harness;
  let service: Listening;
  let line: CommandLine;
  before(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    service = await listen(harness.app);
  });
  beforeEach(() => {
    line = openCommandLine(() => ({
      PAYMENT_CHECKOUT_KEY: harness.merchant.apiKey,
      PAYMENT_CHECKOUT_URL: service.url,
    }));
  });
  afterEach(() => line.close());
  after(async () => {
    await service.close();
    await harness.close();
  });

  describe('login', () => {
    const config = () => join(line.home, '.config/payment-checkout/config.json');
    const unset = { PAYMENT_CHECKOUT_KEY: '', PAYMENT_CHECKOUT_URL: '' };

    it('stores URL and key for its owner alone, and commands use them', async () => {
      const { code, stdout, stderr } = await line.run(['login']);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.include(harness.merchant.id).and.include('payments:read');
      expect(statSync(config()).mode & 0o777).to.equal(0o600);
      expect(statSync(join(config(), '..')).mode & 0o777).to.equal(0o700);
      const listed = await line.run(['payments', 'list'], { env: unset });
      expect(listed.code, listed.stderr).to.equal(0);
    });

    it('reads the key from standard input, and several profiles', async () => {
      const other = await harness.addMerchant();
      const args = ['login', '--url', service.url, '--profile', 'other'];
      const { code, stderr } = await line.run(args, { env: unset, stdin: `${other.apiKey}\n` });
      expect(code, stderr).to.equal(0);
      await line.run(['login'], { env: unset, stdin: `${service.url}\n${harness.merchant.apiKey}\n` });
      expect(Object.keys(JSON.parse(readFileSync(config(), 'utf8')).profiles)).to.deep.equal([
        'other',
        'default',
      ]);
      for (const [profile, id] of [
        ['other', other.id],
        ['default', harness.merchant.id],
      ] as const)
        expect(await line.json(['keys', '--profile', profile])).to.deep.include({ merchant_id: id });
    });

    it('asks on a terminal', async () => {
      const answers = [service.url, harness.merchant.apiKey];
      const { code, stderr } = await line.run(['login'], { env: unset, isTerminal: true, answers });
      expect(code).to.equal(0);
      expect(stderr).to.include('URL').and.include('it is not shown');
    });

    it('stores nothing where the key is unknown, and says so', async () => {
      const { code, stderr } = await line.run(['login'], { env: { PAYMENT_CHECKOUT_KEY: 'sk_test_nobody' } });
      expect(code).to.equal(1);
      expect(stderr).to.include('does not know this key');
      expect(() => statSync(config())).to.throw();
    });

    it('of a stored key goes to its own URL only, whatever PAYMENT_CHECKOUT_URL names', async () => {
      await line.run(['login']);
      const other = await startReceiver();
      for (const args of [
        ['keys'],
        ['payments', 'list'],
        ['doctor'],
        ['listen', '--forward-to', 'http://localhost:1'],
      ]) {
        const elsewhere = { PAYMENT_CHECKOUT_KEY: '', PAYMENT_CHECKOUT_URL: other.url };
        const { code, stdout, stderr } = await line.run(args, { env: elsewhere });
        expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 1, stdout: '' });
        expect(stderr)
          .to.include(`its key goes to ${service.url} only`)
          .and.include('unset PAYMENT_CHECKOUT_URL')
          .and.include('PAYMENT_CHECKOUT_KEY');
      }
      await other.close();
      expect(other.requests).to.deep.equal([]);
      const same = { PAYMENT_CHECKOUT_KEY: '', PAYMENT_CHECKOUT_URL: `${service.url}/` };
      expect((await line.run(['keys'], { env: same })).code).to.equal(0);
      const named = { PAYMENT_CHECKOUT_KEY: '', PAYMENT_CHECKOUT_URL: 'http://127.0.0.1:9' };
      expect((await line.run(['keys', '--profile', 'default'], { env: named })).code).to.equal(0);
    });

    it('names a URL that ends in /v1, wherever it comes from', async () => {
      const { apiKey } = harness.merchant;
      const v1 = `${service.url}/v1`;
      for (const [args, setting] of [
        [['login', '--url', v1], { env: { PAYMENT_CHECKOUT_URL: '' } }],
        [['login'], { env: { PAYMENT_CHECKOUT_URL: v1 } }],
        [['login'], { env: unset, stdin: `${v1}\n${apiKey}\n` }],
        [['login'], { env: unset, isTerminal: true, answers: [v1, apiKey] }],
        ...[['keys'], ['payments', 'list'], ['doctor'], ['listen', '--forward-to', 'http://localhost:1']].map(
          (call) => [call, { env: { PAYMENT_CHECKOUT_URL: `${v1}/` } }] as const,
        ),
      ] as const) {
        const { code, stderr } = await line.run(args, setting);
        expect(code, args.join(' ')).to.equal(2);
        expect(stderr).to.include('the URL must end before /v1');
      }
    });

    it('names a file that is damaged, and what to do', async () => {
      await line.run(['login']);
      writeFileSync(config(), '{');
      const { code, stderr } = await line.run(['keys'], { env: unset });
      expect(code).to.equal(1);
      expect(stderr).to.include(config()).and.include('log in again');
    });

    it('is missing: exit code 1, with both ways to log in', async () => {
      const { code, stderr } = await line.run(['keys'], { env: unset });
      expect(code).to.equal(1);
      expect(stderr).to.include('payment-checkout login').and.include('PAYMENT_CHECKOUT_KEY');
    });
  });

  describe('payments', () => {
    it('creates, shows, lists and refunds', async () => {
      const create = 'payments create --pay-amount 10.50 --order-id cli-1 --expiration-minutes 30';
      const metadata = '--metadata colour=dark=red --metadata size=1';
      const created = (await line.json(`${create} ${metadata}`.split(' '))) as {
        id: string;
        metadata: object;
      };
      expect(created).to.deep.include({ metadata: { colour: 'dark=red', size: '1' }, status: 'WAITING' });
      const shown = await line.run(['payments', 'get', created.id]);
      expect(shown.stdout)
        .to.match(/^order_id +cli-1$/m)
        .and.match(/^checkout_url +http/m);
      await pay(harness, created.id);
      const listed = await line.run(['payments', 'list', '--order-id', 'cli-1', '--status', 'SETTLED']);
      expect(listed.stdout).to.match(/^id +status +pay_amount/);
      expect(listed.stdout).to.match(new RegExp(`^${created.id}  SETTLED  10.50`, 'm'));
      const refund = await line.json(['payments', 'refund', created.id, '--amount', '2.00', '--to-sender']);
      expect(refund).to.include({ amount: '2.00', payment_id: created.id });
    });

    it('cancels a payment', async () => {
      const { id } = await createPayment(harness);
      expect(await line.json(['payments', 'cancel', id])).to.include({ id, status: 'EXPIRED' });
    });

    it('clears the address that the customer gave for refunds', async () => {
      const { id } = await createPayment(harness);
      const { code, stdout, stderr } = await line.run(['payments', 'clear-refund-address', id]);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(/^refund_address +-$/m);
    });

    it('creates one payment for one idempotency key', async () => {
      const args = ['payments', 'create', '--pay-amount', '1', '--order-id', 'x', '--idempotency-key', 'one'];
      expect(await line.json(args)).to.deep.equal(await line.json(args));
    });

    it('says that there are more than a page', async () => {
      for (const _ of [1, 2]) await createPayment(harness, { order_id: 'many' });
      const { stderr } = await line.run(['payments', 'list', '--order-id', 'many', '--limit', '1']);
      expect(stderr).to.include('--limit');
      const none = await line.run(['payments', 'list', '--order-id', 'nobody']);
      expect(none).to.include({ code: 0, stdout: 'no results\n' });
    });

    it('watches a payment to its end, event by event', async () => {
      const { id } = await createPayment(harness);
      const watching = line.start(['payments', 'watch', id, '--json']);
      await pay(harness, id);
      const { code, stdout } = await watching.ended;
      expect(code).to.equal(0);
      const events = stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text) as { sequence: number });
      expect(events.map(({ sequence }) => sequence)).to.deep.equal([1, 2, 3, 4]);
    });

    it('ends to watch with exit code 1 where the payment expires', async () => {
      const { id } = await createPayment(harness);
      harness.advance(3_601);
      await harness.work();
      const { code, stdout } = await line.run(['payments', 'watch', id]);
      expect(code).to.equal(1);
      expect(stdout).to.match(/EXPIRED +checkout\.failed/);
    });
  });

  describe('webhooks', () => {
    it('shows deliveries, and the attempts of one', async () => {
      const { id } = await createPayment(harness);
      await harness.work();
      const listed = (await line.json(['webhooks', 'deliveries', '--payment-id', id])) as {
        data: { id: string }[];
      };
      const [{ id: delivery } = { id: '' }] = listed.data;
      const { stdout } = await line.run(['webhooks', 'deliveries', delivery]);
      expect(stdout)
        .to.match(/^failed_because +webhooks_disabled$/m)
        .and.include('no log');
    });

    it('rotates the secret and shows the new one', async () => {
      const own = await harness.addMerchant();
      const env = { PAYMENT_CHECKOUT_KEY: own.apiKey };
      const { stdout } = await line.run(['webhooks', 'rotate', '--overlap-hours', '1'], { env });
      expect(stdout)
        .to.match(/^secret +whsec_/m)
        .and.include(own.webhookSecret);
    });
  });

  it('plays a story, and shows its payment and its transitions', async () => {
    const { code, stdout } = await line.run(['trigger', 'refunded-in-part']);
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^status +SETTLED$/m)
      .and.match(/checkout\.refunded\n.*checkout\.refunded\n$/);
  });

  describe('what is wrong', () => {
    for (const [what, args, says] of [
      ['an unknown command', ['pay'], 'there is no command "pay"'],
      ['a group without its command', ['payments'], 'payments create'],
      ['an unknown option', ['payments', 'list', '--stats', 'x'], "'--stats'"],
      ['a value that is no choice', ['payments', 'list', '--status', 'PAID'], 'WAITING or PENDING'],
      ['a number that is none', ['payments', 'list', '--limit', 'ten'], '--limit must be a whole number'],
      ['a missing option', ['payments', 'create', '--pay-amount', '1'], '--order-id is missing'],
      ['a missing parameter', ['payments', 'get'], 'ID is missing'],
      ['one argument too many', ['keys', 'all'], '"all" is one argument too many'],
      ['an id that is none', ['payments', 'get', '../x'], 'an id has letters'],
      ['an unknown story', ['trigger', 'paid-twice'], 'STORY must be paid or'],
      [
        'metadata without a value',
        ['payments', 'create', '--pay-amount', '1', '--order-id', '1', '--metadata', 'a'],
        'KEY=VALUE',
      ],
      ['no receiver', ['listen'], '--forward-to is missing'],
      ['a receiver that is none', ['listen', '--forward-to', 'localhost:4000'], 'must be an http(s) URL'],
    ] as const)
      it(`${what}: exit code 2, and nothing on standard output`, async () => {
        const { code, stdout, stderr } = await line.run(args);
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
        expect(stderr).to.include(says).and.include('--help');
      });

    it('an error of the API: exit code 1, its code, its message and the id of the request', async () => {
      const { code, stderr } = await line.run(['payments', 'get', NOBODY]);
      expect(code).to.equal(1);
      expect(stderr).to.match(/404 not_found: There is no such payment\. \(request req_\w+\)\n$/);
      const invalid = await line.run([
        'payments',
        'create',
        '--pay-amount',
        '1,5',
        '--order-id',
        '1',
        '--json',
      ]);
      expect(invalid.stdout).to.equal('');
      expect(JSON.parse(invalid.stderr).error).to.include({
        status: 400,
        code: 'validation',
        field: 'pay_amount',
      });
    });

    it('a service that is not there: exit code 1, and why', async () => {
      const env = { PAYMENT_CHECKOUT_URL: 'http://127.0.0.1:9' };
      for (const args of [
        ['payments', 'list'],
        ['listen', '--forward-to', 'http://localhost:4000'],
      ]) {
        const { code, stdout, stderr } = await line.run(args, { env });
        expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
        expect(stderr).to.include('cannot be reached').and.include('payment-checkout doctor');
      }
      const { code, stdout } = await line.run(['doctor'], { env });
      expect(code).to.equal(1);
      expect(stdout).to.include('127.0.0.1:9 cannot be reached');
    });
  });

  describe('the doctor', () => {
    const now = () => harness.ctx.now();
    const checks = async (env: Record<string, string> = {}, at = now) => {
      const { code, stdout, stderr } = await line.run(['doctor', '--json'], { env, now: at });
      expect(stderr).to.equal('');
      const { ok, checks } = JSON.parse(stdout) as {
        ok: boolean;
        checks: { check: string; result: string }[];
      };
      expect(code).to.equal(ok ? 0 : 1);
      return Object.fromEntries(checks.map(({ check, result }) => [check, result]));
    };

    it('finds a good set-up well', async () => {
      const { webhookSecret } = harness.merchant;
      expect(await checks({ WEBHOOK_SECRETS: webhookSecret })).to.include({ secret: 'ok' });
      expect(await checks({ WEBHOOK_SECRET: `${webhookSecret}, ${webhookSecret}` })).to.deep.equal({
        'stored logins': 'ok',
        TLS: 'ok',
        service: 'ok',
        clock: 'ok',
        key: 'ok',
        permissions: 'ok',
        webhooks: 'note',
        secret: 'ok',
        receiver: 'note',
      });
    });

    it('finds a clock, a secret, a key, a file and a receiver that are wrong, and says what to do', async () => {
      expect(await checks({}, () => new Date(now().getTime() + 60_000))).to.include({ clock: 'wrong' });
      const stranger = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
      expect(await checks({ WEBHOOK_SECRET: stranger })).to.include({ secret: 'wrong' });
      expect(await checks({ WEBHOOK_SECRETS: stranger })).to.include({ secret: 'wrong' });
      expect(await checks({ WEBHOOK_SECRET: 'hunter2' })).to.include({ secret: 'wrong' });
      expect(await checks({ PAYMENT_CHECKOUT_KEY: 'sk_test_nobody' })).to.include({ key: 'wrong' });
      await line.run(['login']);
      chmodSync(join(line.home, '.config/payment-checkout/config.json'), 0o644);
      expect(await checks()).to.include({ 'stored logins': 'wrong' });
      const { stdout } = await line.run(['doctor', '--examine'], { now });
      expect(stdout).to.match(/WRONG {2}receiver .*400 validation.*\n +-> /);
    });
  });

  it('the doctor finds a receiver that is down, one with another secret, and one that fails', async () => {
    let status = 200;
    const receiver = await startReceiver({ answer: () => ({ status }) });
    const setWebhooks = (enabled: boolean, webhookUrl: string | null) =>
      harness.api('put', '/v1/webhooks/config').send({ webhookUrl, enabled }).expect(200);
    const look = async () => {
      const { stdout } = await line.run(['doctor'], { now: () => harness.ctx.now() });
      return /^(\w+) +receiver +(.*)\n( +-> .*)?/m.exec(stdout)?.slice(1).join(' ') ?? stdout;
    };
    await setWebhooks(true, receiver.url);
    expect(await look()).to.match(/^ok .* took a test event/);
    status = 401;
    expect(await look()).to.match(
      /^WRONG .* answers 401 to an event that is signed well +-> set its WEBHOOK_SECRET/,
    );
    status = 500;
    expect(await look()).to.match(/^WRONG .* answers 500 +-> it has to answer 2xx/);
    await receiver.close();
    expect(await look()).to.match(/^WRONG .* does not answer: .* +-> start it/);
    await setWebhooks(false, null);
  });

  it('shows its version, and help for a command or a group, however it is asked for', async () => {
    const printed = async (...args: string[]) => {
      const { code, stdout, stderr } = await line.run(args);
      expect({ code, stderr }, args.join(' ')).to.deep.equal({ code: 0, stderr: '' });
      return stdout;
    };
    expect(await printed('--version')).to.match(/^payment-checkout \d+\.\d+\.\d+\n$/);
    const group = await printed('help', 'payments');
    expect(group).to.include('payments create').and.include('payments watch').and.not.include('doctor');
    expect(await printed('payments', '--help')).to.equal(group);
    const one = await printed('help', 'payments', 'create');
    expect(one).to.include('--pay-amount AMOUNT');
    expect(await printed('payments', 'create', '--help')).to.equal(one);
    expect(await printed('help')).to.equal(await printed());
    const narrow = await line.run(['help', 'payments'], { isTerminal: true, columns: 60 });
    expect(Math.max(...narrow.stdout.split('\n').map(({ length }) => length))).to.be.at.most(60);
  });

  it('asks whether a command, an option or a choice was meant that is near', async () => {
    for (const [args, meant] of [
      [['payment', 'list'], 'payments'],
      [['paymnets'], 'payments'],
      [['payments', 'lst'], 'payments list'],
      [['lisen'], 'listen'],
      [['help', 'docter'], 'doctor'],
      [['payments', 'list', '--stats', 'WAITING'], '--status'],
      [['trigger', 'replacd'], 'replaced'],
    ] as const) {
      const { code, stderr } = await line.run(args);
      expect(code, args.join(' ')).to.equal(2);
      expect(stderr).to.include(`did you mean "${meant}"?`);
    }
    expect((await line.run(['xyzzy'])).stderr).to.include(
      'there is no command "xyzzy", but login, payments create',
    );
  });

  it('shows the key in no output, and neither do errors', async () => {
    const { apiKey } = harness.merchant;
    const calls = [
      ['login'],
      ['keys'],
      ['doctor'],
      ['payments', 'get', NOBODY],
      ['payments', 'list'],
      ['listen'],
    ];
    for (const args of calls)
      for (const more of [[], ['--json'], ['--help']]) {
        const { stdout, stderr } = await line.run([...args, ...more]);
        expect(stdout + stderr)
          .to.not.include(apiKey)
          .and.not.include(apiKey.slice(13));
      }
    for (const PAYMENT_CHECKOUT_KEY of [`${apiKey} é`, apiKey.slice(0, -1)]) {
      const { stdout, stderr } = await line.run(['keys'], { env: { PAYMENT_CHECKOUT_KEY } });
      expect(stdout + stderr)
        .to.not.include(apiKey.slice(13, -1))
        .and.not.equal('');
    }
  });

  it('has colours on terminals only, and none with NO_COLOR, TERM=dumb or --no-color', async () => {
    const colours = async (setting: object, ...more: string[]) =>
      (await line.run(['doctor', ...more], setting)).stdout.includes('\u001B[');
    expect(await colours({ isTerminal: true })).to.equal(true);
    expect(await colours({})).to.equal(false);
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect(await colours({ isTerminal: true, env })).to.equal(false);
    expect(await colours({ isTerminal: true }, '--no-color')).to.equal(false);
    expect(await colours({ isTerminal: true }, '--json')).to.equal(false);
  });

  it('lets no text of others command the terminal', async () => {
    const { id } = await createPayment(harness, { order_id: 'a\u001B[2Jb' });
    expect((await line.run(['payments', 'get', id])).stdout).to.include('a\uFFFD[2Jb');
  });
});
