import { expect } from 'chai';
import { displayedAddress } from '../../../src/domain/chain/addresses.ts';
import { exportDeposits, type DepositRow } from '../../../src/domain/wallets/export.ts';
import { eachShop } from '../../support/each-shop.ts';
import type { Harness } from '../../support/harness.ts';
import type { Shop } from '../../support/shop.ts';
import { addressOf, useWallet } from '../../support/wallets.ts';

describe('the export of a wallet', () => {
  let harness: Harness;
  let shop: Shop;
  eachShop((opened) => ({ harness, shop } = opened));

  const collect = async (rows: AsyncGenerator<DepositRow[]>) => {
    const found: DepositRow[] = [];
    for await (const page of rows) found.push(...page);
    return found;
  };

  it('has index, path, address and what came, for each payment in the order of the index, and gaps', async () => {
    const { ctx, merchant } = harness;
    const wallet = await useWallet(ctx, merchant.id);
    const other = await useWallet(ctx, null);
    const payments: string[] = [];
    for (const [index, of] of [
      [7, wallet],
      [0, wallet],
      [7, other],
    ] as const) {
      const id = await shop.create();
      payments.push(id);
      if (index === 7 && of === wallet) {
        await shop.send(id, { network: 'ethereum', coin: 'USDC', amount: '4.5' });
        await shop.send(id, { network: 'ethereum', coin: 'USDC', amount: '6' });
        await shop.send(id, { network: 'ethereum', coin: 'DAI', amount: '1' });
        await harness.work();
      }
      const address = addressOf(ctx, of, index);
      await ctx.db('payments').where({ id }).update({ wallet_id: of.id, deposit_index: index, address });
      await ctx.db('quotes').where({ payment_id: id }).update({ address });
    }
    const shown = (index: number) => displayedAddress('ethereum', addressOf(ctx, wallet, index));
    const [paid, unpaid] = payments;
    const rows = await collect(exportDeposits(ctx, wallet));
    for (const pageSize of [1, 2, 3])
      expect(await collect(exportDeposits(ctx, wallet, pageSize))).to.deep.equal(rows);
    expect(
      rows.every(({ path, index }) => /^m\/44'\/60'\/\d+'\/0\//.test(path) && path.endsWith(`/${index}`)),
    ).to.equal(true);
    expect(rows.map((row) => ({ ...row, path: '' }))).to.deep.equal([
      { index: 0, path: '', address: shown(0), payment_id: unpaid, network: null, coin: null, received: '0' },
      {
        index: 7,
        path: '',
        address: shown(7),
        payment_id: paid,
        network: 'ethereum',
        coin: 'DAI',
        received: '1',
      },
      {
        index: 7,
        path: '',
        address: shown(7),
        payment_id: paid,
        network: 'ethereum',
        coin: 'USDC',
        received: '10.5',
      },
    ]);
  });

  it('stops at a payment whose address is not that of its index, and at a wallet that was changed', async () => {
    const { ctx, merchant } = harness;
    const wallet = await useWallet(ctx, merchant.id);
    const id = await shop.create();
    await ctx.db('payments').where({ id }).update({ wallet_id: wallet.id, deposit_index: 3 });
    const fault = (of: typeof wallet) =>
      collect(exportDeposits(ctx, of)).then(
        () => '',
        (error: Error) => error.message,
      );
    expect(await fault(wallet)).to.include(`Payment ${id} has another address than index 3`);
    expect(await fault({ ...wallet, merchant_id: null })).to.include('was changed in the database');
    await ctx.db('payments').where({ id }).update({ wallet_id: null, deposit_index: null });
  });
});
