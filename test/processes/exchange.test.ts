import { expect } from 'chai';
import { listActions } from '../../src/domain/audit/record.ts';
import { OpsUsageError } from '../../src/processes/setup/shared/command.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';
import { eachShop } from '../support/each-shop.ts';
import { ExchangeStand } from '../support/exchange-stand.ts';
import type { Harness } from '../support/harness.ts';
import { build, endAll, startProcess } from './service.ts';

describe('npm run merchants -- exchange, and npm run ops -- sales', function () {
  this.timeout(60_000);
  let harness: Harness;
  let stand: ExchangeStand;
  before(build);
  eachShop(async (opened) => {
    harness = opened.harness;
    stand = await ExchangeStand.open(harness, opened.shop);
  });
  afterEach(async () => {
    await endAll();
    await stand.close();
  });

  async function exchange(args: string[], input?: string) {
    const env = {
      NODE_ENV: 'development',
      DATABASE_URL: harness.ctx.config.databaseUrl,
      KRAKEN_URL: stand.kraken.url,
    };
    const more = { mayFail: true, ...(input === undefined ? {} : { input }) };
    const started = startProcess('merchants', env, ['exchange', ...args], more);
    return { code: await started.ended(), output: started.output() };
  }
  const ops = (...args: string[]) => {
    const command = parseOpsCommand(args);
    if ('help' in command) throw new Error('help');
    const output = {
      progress: () => undefined,
      write: () => Promise.resolve(),
      end: () => Promise.resolve(),
    };
    return command.run(stand.ctx, output);
  };

  it('sets an account by standard input, writes down who did, and shows its secrets nowhere', async () => {
    const { key, secret } = stand.kraken.account;
    const own = ['set', '--merchant', stand.merchant.id];
    const set = await exchange([...own, '--slippage-percent', '0.5'], `${key}\n${secret}\n`);
    expect(set.code, set.output).to.equal(0);
    expect(set.output).to.include('few deposit addresses');
    const listed = await exchange(['list']);
    expect(listed.output).to.include(stand.merchant.id);
    const wrong = await exchange(own, `${secret}\n`);
    expect(wrong.output).to.include('must be two lines');
    const argument = await exchange([...own, '--secret', secret]);
    expect([wrong.code, argument.code]).to.deep.equal([1, 1]);
    stand.kraken.fault = () => ({ error: 'EAPI:Invalid key' });
    const refused = await exchange(own, `${key}\n${secret}\n`);
    expect(refused.output).to.include('Kraken: Balance: EAPI:Invalid key (key_refused)');
    const actions = await listActions(harness.ctx.db, 10);
    expect(actions.map(({ command }) => command)).to.deep.equal(['merchants exchange set']);
    expect(actions[0]?.details).to.include({ exchange: 'kraken', slippage_percent: '0.5' });
    for (const { output } of [set, listed, wrong, argument, refused, { output: JSON.stringify(actions) }])
      for (const hidden of [key, secret]) expect(output).to.not.include(hidden);
  });

  it('ends the use of an account for new payments, and goes on to sell what came', async () => {
    const id = await stand.paid();
    const { code, output } = await exchange(['retire', '--merchant', stand.merchant.id]);
    expect(code, output).to.equal(0);
    await stand.work(id);
    expect(await stand.real.statusOf(id)).to.equal('SETTLED');
  });

  it('lists what waits for a person and why, and does what they decide', async () => {
    expect((await ops('sales', 'list')).text).to.equal('Nothing waits to be sold.');
    const id = await stand.paid();
    stand.kraken.fault = (method) => (method === 'AddOrder' ? { error: 'EOrder:Insufficient funds' } : null);
    await stand.work(id);
    const { text, isBad } = await ops('sales', 'list', '--held');
    expect(isBad).to.equal(true);
    expect(text).to.match(new RegExp(`^HELD {2}${id} .* 1 ETH on ethereum`));
    expect(text).to.include('insufficient_funds: the account does not have the coins');
    expect(text).to.include('(AddOrder: EOrder:Insufficient funds)');
    const retried = await ops('sales', 'retry', '--payment', id);
    expect(retried.changed).to.deep.equal({ payment: id, decision: 'retry', sales: 1 });
    await stand.work(id);
    expect((await ops('sales', 'list')).isBad, 'it was refused again').to.equal(true);
    await ops('sales', 'settle-as-received', '--payment', id);
    await stand.work(id);
    expect((await stand.resource(id)).settlement).to.include({ mode: 'as_received', coin: 'ETH' });
    const again = await ops('sales', 'retry', '--payment', id).catch((error: unknown) => error);
    expect(again).to.be.instanceOf(OpsUsageError);
  });
});
