import { expect } from 'chai';
import { createAdapters } from '../../../src/domain/adapters.ts';
import { findCaller } from '../../../src/domain/merchants/api-keys.ts';
import { createPayment } from '../../../src/domain/payments/create.ts';
import { exportDeposits, type DepositRow } from '../../../src/domain/wallets/export.ts';
import { hashApiKey } from '../../../src/platform/values/ids.ts';
import { SeedWallet } from '../../support/bip84.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { accountKey, bitcoinKey, MNEMONIC, useWallet } from '../../support/wallets.ts';

const PAYMENTS = 1_000;

describe('the addresses of 1,000 payments', function () {
  this.timeout(60_000);
  let harness: Harness;
  before(async () => (harness = await createHarness()));
  after(() => harness.close());

  const seed = new SeedWallet(MNEMONIC);
  for (const [name, currency, network, value, addressAt] of [
    ['Bitcoin', 'BTC', 'bitcoin', bitcoinKey('zpub', 5), (path: string) => seed.addressAt(path)],
    ['EVM networks', 'USDC', 'ethereum', accountKey(5), (path: string) => seed.evmAddressAt(path)],
  ] as const)
    it(`on ${name} are found again by the seed and the export alone`, async () => {
      const { ctx } = harness;
      const merchant = await harness.addMerchant({ mode: 'live', currency, network });
      const wallet = await useWallet(ctx, merchant.id, { value });
      const served = { networks: [network], isHalted: () => false };
      const adapters = createAdapters(ctx.config, { served });
      const caller = (await findCaller(ctx.db, hashApiKey(merchant.apiKey))) ?? expect.fail('no caller');
      const body = { pay_amount: '0.01', order_id: 'order-1' };
      await Promise.all(
        Array.from({ length: PAYMENTS }, () => createPayment(ctx, adapters, caller, body, null)),
      );
      const rows: DepositRow[] = [];
      for await (const page of exportDeposits(ctx, wallet)) rows.push(...page);
      const stored = (await ctx.db('payments').where({ wallet_id: wallet.id })) as {
        id: string;
        address: string;
      }[];
      const recovered = new Map(rows.map(({ payment_id, path }) => [payment_id, addressAt(path)]));
      expect(new Set(recovered.values()).size).to.equal(PAYMENTS);
      for (const { id, address } of stored) expect(recovered.get(id)).to.equal(address);
      // Without the export: some gaps are all that a scan of the account has to get over.
      const indices = rows.map(({ index }) => index);
      expect(Math.max(...indices)).to.be.below(PAYMENTS + 20);
    });
});
