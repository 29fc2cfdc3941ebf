import { expect } from 'chai';
import { eachShop } from '../support/each-shop.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import { FlushStand } from '../support/flush-stand.ts';
import { BEGIN, type Harness } from '../support/harness.ts';
import { keyFile, PASSPHRASE, privateFile } from '../support/key-file.ts';
import { startLyingProxy, type LyingProxy } from '../support/lying-proxy.ts';
import { build, endAll, startProcess } from './service.ts';

describe('npm run ops -- wallet flush', function () {
  this.timeout(120_000);
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: FlushStand;
  let proxy: LyingProxy;
  let address: string;
  let file: string;
  before(build);
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new FlushStand(standOf(), harness, shop);
    proxy = await startLyingProxy(standOf().anvil);
    await stand.begin();
    // A process has the time of the database.
    await stand.storeRates(new Date());
    [address = ''] = await stand.addresses(await stand.addMerchant(), 1);
    await stand.pay('USDC', address, 1_000);
    await stand.settle();
    file = await privateFile(JSON.stringify(keyFile(stand.secret)));
  });
  afterEach(async () => {
    await endAll();
    await Promise.all([stand.close(), proxy.close()]);
  });

  const env = (more: Readonly<Record<string, string>> = {}) => ({
    NODE_ENV: 'test',
    DATABASE_URL: harness.ctx.config.databaseUrl,
    RPC_URLS_ETHEREUM: proxy.url,
    OPS_ACTOR: 'flush timer',
    ...more,
  });
  const start = (
    args: string[] = [],
    more: Readonly<Record<string, string>> = {},
    input = `${PASSPHRASE}\n`,
  ) =>
    startProcess(
      'ops',
      env(more),
      [
        'wallet',
        'flush',
        '--network',
        'ethereum',
        '--json',
        '--key-file',
        file,
        '--passphrase-file',
        '-',
        ...args,
      ],
      { input, mayFail: true },
    );
  const run = async (...from: Parameters<typeof start>) => {
    const service = start(...from);
    const code = await service.ended();
    return { code, output: service.output(), printed: service.printed() };
  };
  const factsOf = ({ printed }: { printed: string }) => JSON.parse(printed) as Record<string, unknown>;
  const sentBy = async () =>
    Number(await standOf().rpc<string>('eth_getTransactionCount', stand.key.address, 'latest'));

  it('flushes, writes down what it did, and shows neither key nor passphrase', async () => {
    const dry = startProcess('ops', env({ OPS_ACTOR: '' }), [
      'wallet',
      'flush',
      '--network',
      'ethereum',
      '--dry-run',
    ]);
    expect(await dry.ended()).to.equal(0);
    expect(dry.printed()).to.match(/^Would move 1 addresses with \$1000.00, for at most \$\d/);
    const sent = await run();
    expect(sent.code, sent.output).to.equal(0);
    const { tx_hash, state } = factsOf(sent);
    expect(state).to.equal('sent');
    const [action] = await stand.ctx.db('operator_actions').where({ command: 'wallet flush' });
    expect(action.details).to.deep.equal({ network: 'ethereum', state, tx_hash, addresses: 1, usd: '1000' });
    expect(action.actor).to.match(/^flush timer \(/);
    await stand.settle();
    const ended = await run();
    expect([ended.code, factsOf(ended).state]).to.deep.equal([0, 'nothing']);
    expect(await stand.holds('USDC', address)).to.equal(0n);
    expect(await stand.ctx.db('operator_actions').where({ command: 'wallet flush' })).to.have.length(1);
    const stored = JSON.stringify(await stand.ctx.db('flushes').select('*'));
    for (const secret of [PASSPHRASE, stand.secret.toString('hex')])
      for (const text of [sent.output, ended.output, stored]) expect(text).to.not.include(secret);
  });

  it('abandons an open flush without a key, and writes down who did it', async () => {
    const { tx_hash } = factsOf(await run());
    const service = startProcess('ops', env(), [
      'wallet',
      'flush',
      '--network',
      'ethereum',
      '--abandon',
      String(tx_hash),
    ]);
    expect(await service.ended()).to.equal(0);
    expect(service.printed()).to.match(/^0x\w{64} is abandoned: the next run makes a new flush\./);
    expect(await stand.ctx.db('flushes').select('outcome')).to.deep.equal([{ outcome: 'abandoned' }]);
    const actions = await stand.ctx.db('operator_actions').where({ command: 'wallet flush' }).orderBy('at');
    expect(actions.map(({ details }) => details.state)).to.deep.equal(['sent', 'abandoned']);
    expect(actions[1].details).to.include({ tx_hash });
  });

  it('takes no key that others can read, no wrong passphrase, and nobody without a name', async () => {
    const open = await privateFile(JSON.stringify(keyFile(stand.secret)), 0o644);
    for (const [result, said] of [
      [await run(['--key-file', open]), 'mode 644: chmod 600'],
      [await run([], {}, 'wrong'), 'The passphrase does not open the key file'],
      [await run([], { OPS_ACTOR: '' }), 'OPS_ACTOR is not set'],
      [await run([], { RPC_URLS_ETHEREUM: '' }), 'RPC_URLS_ETHEREUM is not set here'],
      [await run(['--network', 'bitcoin']), 'There are no forwarders on bitcoin'],
      [await run(['--max-fee-percent', '101']), 'at most 100'],
      [await run(['--min-usd', '1e3']), 'is no number'],
      [await run(['--abandon', '0xab']), '0xab is no open flush of ethereum'],
      [await run(['--abandon', '0xab', '--dry-run']), 'give one of them'],
      [await run(['--abandon', '0xab'], { OPS_ACTOR: '' }), 'OPS_ACTOR is not set'],
    ] as const) {
      expect(result.output).to.include(said);
      expect(result.code).to.equal(2);
    }
    expect(await stand.ctx.db('flushes')).to.deep.equal([]);
    expect(await sentBy()).to.equal(0);
  });

  /** Kills a flush at a call of the node: before it is passed on, which it never is, or after. */
  const killAt = async (method: string, when: 'before' | 'after') => {
    const running = start();
    const kill = async () => {
      running.signal('SIGKILL');
      await running.ended();
    };
    if (when === 'after')
      proxy.lie = async (call, truth) => {
        if (call.method === method) await kill();
        return truth;
      };
    else
      proxy.before = async (call) => {
        if (call.method !== method) return;
        await kill();
        throw Object.assign(new Error('cut off'), { code: -1 });
      };
    const code = await running.ended();
    proxy.lie = null;
    proxy.before = null;
    return code;
  };

  for (const [method, when, stored] of [
    ['eth_estimateGas', 'after', 0],
    ['eth_getTransactionCount', 'after', 0],
    ['eth_sendRawTransaction', 'before', 1],
    ['eth_sendRawTransaction', 'after', 1],
    ['eth_getTransactionByHash', 'after', 1],
  ] as const)
    it(`moves the money once where it is killed ${when} ${method}`, async () => {
      expect(await killAt(method, when)).to.equal('SIGKILL');
      const rows = await stand.ctx.db('flushes').select('tx_hash');
      expect(rows).to.have.length(stored);
      const next = await run();
      expect(next.code, next.output).to.equal(0);
      const facts = factsOf(next);
      if (stored === 1) expect(facts).to.include({ state: 'sent_again', tx_hash: rows[0].tx_hash });
      else expect(facts.state).to.equal('sent');
      await stand.settle();
      expect(factsOf(await run()).state).to.equal('nothing');
      expect([await sentBy(), await stand.holds('USDC', address)]).to.deep.equal([1, 0n]);
    });
});
