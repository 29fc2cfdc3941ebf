import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { sum } from '../../../../src/platform/values/money.ts';
import type { Doom } from '../../../support/doomed-seller.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { ExchangeStand } from '../../../support/exchange-stand.ts';
import type { Harness } from '../../../support/harness.ts';

const SELLER = fileURLToPath(new URL('../../../support/doomed-seller.ts', import.meta.url));

describe('a sale whose worker is killed with -9', function () {
  this.timeout(60_000);
  let harness: Harness;
  let stand: ExchangeStand;
  eachShop(async (opened) => {
    harness = opened.harness;
    stand = await ExchangeStand.open(harness, opened.shop);
  });
  afterEach(() => stand.close());

  const METHODS = [
    'DepositMethods',
    'DepositStatus',
    'ClosedOrders',
    'AssetPairs',
    'AddOrder',
    'QueryOrders',
    'QueryTrades',
  ];
  for (const method of METHODS)
    for (const when of ['before', 'after'] as const)
      it(`${when} the exchange gets ${method} sells all of it, once`, async () => {
        const id = await stand.paid();
        await settlePayments(stand.ctx, stand.real.adapters.live, [id]);
        const doom: Doom = {
          env: {
            NODE_ENV: 'test',
            DATABASE_URL: harness.ctx.config.databaseUrl,
            KRAKEN_URL: stand.kraken.url,
            LOG_LEVEL: 'error',
          },
          now: harness.ctx.now().toISOString(),
          paymentId: id,
        };
        const child = spawn(process.execPath, ['--import', 'tsx', SELLER], {
          env: { ...process.env, DOOM: JSON.stringify(doom) },
          stdio: ['ignore', 'inherit', 'inherit'],
        });
        const exited = once(child, 'exit');
        stand.kraken.fault = (asked, times) => {
          if (asked !== method || times > 1) return null;
          child.kill('SIGKILL');
          return { cut: when };
        };
        expect((await exited)[1]).to.equal('SIGKILL');
        stand.kraken.fault = () => null;
        await stand.workUntil(id, 'SETTLED');
        expect(sum(stand.kraken.account.orders.map(({ sold }) => sold))).to.equal('1');
        expect((await stand.resource(id)).settlement).to.include({ mode: 'exchange', amount: '2992.2' });
      });
});
