import { expect } from 'chai';
import { releasePayout } from '../../../src/domain/payouts/decide.ts';
import { payoutsSection } from '../../../src/domain/ops/status/payouts.ts';
import { eachShop } from '../../support/each-shop.ts';
import { newAddress, unitsOf, useEvmStand } from '../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../support/harness.ts';
import { startLyingProxy, type LyingProxy } from '../../support/lying-proxy.ts';
import { SignerStand } from '../../support/signer-stand.ts';

describe('the signer that follows what it has signed', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: SignerStand;
  let proxy: LyingProxy;
  let customer: string;
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new SignerStand(standOf(), harness, shop);
    customer = newAddress();
    proxy = await startLyingProxy(standOf().anvil);
    await stand.begin();
  });
  afterEach(() => Promise.all([stand.close(), proxy.close()]));

  /** Says that all is in the final block, and so ended. */
  const lieOfEnd = async (status: string, own: object = {}) => {
    const final = await standOf().rpc<{ number: string; hash: string }>(
      'eth_getBlockByNumber',
      'finalized',
      false,
    );
    const place = {
      blockNumber: final.number,
      blockHash: final.hash,
      gasUsed: '0x1',
      effectiveGasPrice: '0x1',
    };
    proxy.lie = ({ method, params }, truth) => {
      if (method === 'eth_getTransactionCount' && params[0] === stand.key.address) return '0x1';
      if (method !== 'eth_getTransactionReceipt') return truth;
      return { transactionHash: params[0], status, ...place, ...own };
    };
  };

  it('believes no provider alone that a payout is paid or has failed, where another one answers', async () => {
    stand.urls = [proxy.url, standOf().anvil.url];
    const id = await stand.insert({ address: customer });
    await stand.pass();
    for (const status of ['0x0', '0x1']) {
      await lieOfEnd(status);
      await stand.pass();
      expect(await stand.stateOf(id), status).to.equal('signed');
    }
    proxy.lie = null;
    await stand.settle();
    await stand.pass();
    expect([await stand.stateOf(id), await standOf().balance('USDC', customer)]).to.deep.equal([
      'paid',
      unitsOf('USDC', 5),
    ]);
  });

  it('holds nothing for a number that one provider calls used, where another one has the receipt', async () => {
    stand.urls = [proxy.url, standOf().anvil.url];
    const id = await stand.insert();
    await stand.pass();
    await stand.settle();
    proxy.lie = ({ method }, truth) => (method === 'eth_getTransactionReceipt' ? null : truth);
    await stand.pass();
    expect([await stand.stateOf(id), await stand.heldBecause()]).to.deep.equal(['signed', null]);
    proxy.lie = null;
    await stand.pass();
    expect(await stand.stateOf(id)).to.equal('paid');
  });

  it('goes on with one provider where the other fails', async () => {
    stand.urls = [standOf().anvil.url, 'http://localhost:1'];
    const id = await stand.insert();
    await stand.pass();
    await stand.settle();
    await stand.pass();
    expect(await stand.stateOf(id)).to.equal('paid');
  });

  it('refuses the receipt of another transaction', async () => {
    stand.urls = [proxy.url];
    const id = await stand.insert();
    await stand.pass();
    await lieOfEnd('0x1', { transactionHash: `0x${'ab'.repeat(32)}` });
    expect(await stand.pass().catch((error: Error) => error.message)).to.match(/^the receipt asked for/);
    expect(await stand.stateOf(id)).to.equal('signed');
  });

  it('is looked at by a person where the watcher finds no transfer, and looks again when it is released', async () => {
    stand.urls = [proxy.url];
    const merchant = await stand.real.addMerchant();
    const refund = await stand.offered(merchant, customer);
    await stand.pass();
    await lieOfEnd('0x1');
    await stand.pass();
    expect(await stand.stateOf(refund.id)).to.equal('paid');
    const isBad = async () => (await payoutsSection.read(harness.ctx)).isBad;
    expect(await isBad()).to.equal(false);
    harness.advance(2 * 3_600 + 1);
    expect(await isBad()).to.equal(true);
    proxy.lie = null;
    expect(await releasePayout(harness.ctx.db, refund.id)).to.equal(true);
    await stand.pass();
    await stand.settle();
    await stand.pass();
    expect([await stand.stateOf(refund.id), await stand.refunds.stateOf(merchant, refund)]).to.deep.equal([
      'paid',
      'COMPLETED',
    ]);
    expect(await releasePayout(harness.ctx.db, refund.id), 'what is completed').to.equal(false);
  });

  it('signs nothing for a refund that somebody else has paid', async () => {
    stand.settings = { approval: { fromUsd: '0', approvers: {} } };
    const merchant = await stand.real.addMerchant();
    const refund = await stand.offered(merchant, customer);
    await stand.pass();
    expect(await stand.stateOf(refund.id)).to.match(/^waiting: it needs an approval/);
    await standOf().pay('USDC', customer, unitsOf('USDC', 5));
    await stand.settle();
    expect(await stand.refunds.stateOf(merchant, refund)).to.equal('COMPLETED');
    stand.settings = {};
    await stand.pass();
    expect([await stand.stateOf(refund.id), (await payoutsSection.read(harness.ctx)).lines]).to.deep.equal([
      'waiting: it needs an approval: it is worth 5 USD',
      ['none is open'],
    ]);
    await stand.settle();
    expect(await standOf().balance('USDC', customer)).to.equal(unitsOf('USDC', 5));
  });

  it('signs nothing for more gas above a limit', async () => {
    const id = await stand.insert();
    await stand.pass();
    harness.advance(121);
    const { settings } = stand;
    stand.settings = { usd: { perIntent: '5', perHour: '5', perDay: '5' } };
    await stand.pass();
    expect((await stand.row(id)).hashes).to.have.length(1);
    stand.settings = settings;
    await stand.pass();
    expect((await stand.row(id)).hashes).to.have.length(2);
  });

  it('holds the account where a row has lost one of its hashes, and finds the transaction all the same', async () => {
    const id = await stand.insert({ address: customer });
    await stand.pass();
    harness.advance(121);
    await stand.pass();
    const { hashes, raws } = await stand.row(id);
    await harness.ctx
      .db('payouts')
      .where({ refund_id: id })
      .update({ hashes: hashes.slice(0, 1), raws: raws.slice(0, 1) });
    await stand.settle();
    await stand.pass();
    expect([await stand.stateOf(id), await stand.heldBecause()]).to.deep.equal([
      'signed',
      `the row of ${id} was changed`,
    ]);
  });
});
