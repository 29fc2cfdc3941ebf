import { expect } from 'chai';
import { eachShop } from '../support/each-shop.ts';
import { newAddress, unitsOf, useEvmStand } from '../support/evm-stand.ts';
import { BEGIN, type Harness } from '../support/harness.ts';
import { startLyingProxy, type LyingProxy } from '../support/lying-proxy.ts';
import { startPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts';
import { SignerStand } from '../support/signer-stand.ts';
import { until } from '../support/until.ts';
import { build, endAll, startProcess, type Service } from './service.ts';

/** How often it is killed at each place: SIGNER_ROUNDS=100 npm run test:signer. */
const ROUNDS = Number(process.env.SIGNER_ROUNDS ?? 1);

describe('the process of the signer', function () {
  this.timeout(ROUNDS * 600_000);
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: SignerStand;
  let node: LyingProxy;
  let postgres: PostgresProxy;
  before(build);
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new SignerStand(standOf(), harness, shop);
    stand.now = () => new Date();
    await stand.begin();
    await stand.restart();
    [node, postgres] = [await startLyingProxy(standOf().anvil), await startPostgresProxy(stand.signerUrl)];
    stand.urls = [node.url];
    await stand.writeFiles();
    stand.urls = [standOf().anvil.url];
  });
  afterEach(async () => {
    await endAll();
    await Promise.all([node.close(), postgres.close(), stand.close()]);
  });

  const start = () =>
    startProcess(
      'signer',
      { NODE_ENV: 'test', SIGNER_DATABASE_URL: postgres.url, SIGNER_CONFIG: stand.file },
      [],
      { mayFail: true },
    );

  /** Counts what the process sends to Postgres and to the node, and kills it at one of these. */
  const killAt = async (
    place: number,
    when: 'before' | 'after',
    work: (service: Service) => Promise<unknown>,
  ) => {
    let count = 0;
    const running = start();
    const kill = () => running.signal('SIGKILL');
    const isPlace = () => (count += 1) === place;
    node.before = () => {
      const isIt = isPlace();
      if (!isIt) return;
      kill();
      if (when === 'before') throw Object.assign(new Error('cut off'), { code: -1 });
    };
    const atStatement = () => {
      const isIt = isPlace();
      if (isIt) kill();
      return isIt;
    };
    if (when === 'before') postgres.freezeWhen(atStatement);
    else postgres.withholdAt(atStatement);
    await work(running);
    if (count < place) kill();
    const code = await running.ended();
    node.before = null;
    postgres.thaw();
    return { code, count };
  };

  const isSent = async (id: string) => {
    const row = await harness.ctx.db('payouts').where({ refund_id: id }).first('hashes');
    const [hash] = row?.hashes ?? [];
    return hash !== undefined && (await standOf().rpc('eth_getTransactionByHash', hash)) !== null;
  };
  const finish = async (ids: readonly string[]) => {
    await stand.pass();
    await stand.settle();
    await stand.pass();
    for (const id of ids) expect(await stand.stateOf(id)).to.equal('paid');
  };

  it(`pays once, wherever it is killed: ${ROUNDS} rounds at each place`, async () => {
    // How many places there are until the money is on its way, and a pass behind that.
    const first = await stand.insert({ address: newAddress() });
    const { count: places } = await killAt(Infinity, 'before', () =>
      until('sent', () => isSent(first), 30_000),
    );
    await finish([first]);
    await stand.restart();
    let paid = 1;
    const killed = { before: 0, after: 0 };
    for (let round = 0; round < ROUNDS; round += 1)
      for (let place = 1; place <= places + 4; place += 1)
        for (const when of ['before', 'after'] as const) {
          const customer = newAddress();
          const id = await stand.insert({ address: customer });
          const { code } = await killAt(place, when, async (service) => {
            await until('it ends', () => service.isOver(), 30_000);
          });
          expect(code).to.equal('SIGKILL');
          killed[when] += 1;
          await finish([id]);
          await stand.restart();
          paid += 1;
          const what = `${when} ${place} of ${places}`;
          expect(await standOf().balance('USDC', customer), what).to.equal(unitsOf('USDC', 5));
          expect(await stand.sent(), what).to.equal(paid);
        }
    console.log(
      `      killed ${killed.before} times before, ${killed.after} times after, at ${places + 4} places`,
    );
  });

  it('pays once where it is killed while it begins again after a kill, again and again', async () => {
    const customer = newAddress();
    const ids: string[] = [];
    for (let place = 3; place < 40; place += 3) {
      ids.push(await stand.insert({ address: customer }));
      await killAt(place, place % 2 === 0 ? 'before' : 'after', async (service) => {
        await until('it ends', () => service.isOver(), 30_000);
      });
    }
    await finish(ids);
    expect(await standOf().balance('USDC', customer)).to.equal(unitsOf('USDC', 5) * BigInt(ids.length));
    expect(await stand.sent()).to.equal(ids.length);
  });
});
