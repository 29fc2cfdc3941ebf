import { expect } from 'chai';
import { EvmClient } from '../../../../../src/domain/chain/evm/client.ts';
import { setRefundAddress } from '../../../../../src/domain/payments/refunds/refund-address.ts';
import type { RefundResource } from '../../../../../src/domain/payments/refunds/schemas.ts';
import { sendRefunds } from '../../../../../src/domain/payments/refunds/send.ts';
import { wordOf } from '../../../../support/anvil.ts';
import { eachShop } from '../../../../support/each-shop.ts';
import {
  BATCH_CODE,
  contractOf,
  FINAL_DEPTH,
  newAddress,
  unitsOf,
  useEvmStand,
} from '../../../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../../../support/harness.ts';
import { MerchantRefunds, type LiveMerchant } from '../../../../support/merchant-refunds.ts';
import { openRealNetwork, type RealNetwork } from '../../../../support/real-network.ts';
import type { Shop } from '../../../../support/shop.ts';

describe('a refund on an EVM network', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  let refunds: MerchantRefunds;
  let merchant: LiveMerchant;
  let customer: string;
  const clients: EvmClient[] = [];
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    const options = { network: 'ethereum', chainId: 1, urls: [standOf().anvil.url] } as const;
    const finality = { hasCheckpoints: true, depth: 2 };
    const client = new EvmClient({ ...options, finality }, harness.ctx.now);
    clients.push(client);
    real = openRealNetwork(harness, shop, () => client);
    const payIn = async (id: string, amount: string) => {
      const { address } = await shop.payment(id);
      return standOf().pay('USDC', address, BigInt(Number(amount) * 1e6));
    };
    refunds = new MerchantRefunds(harness, real, { finish, payIn });
    await real.sync();
    [merchant, customer] = [await real.addMerchant(), newAddress()];
  });
  after(() => Promise.all(clients.map((client) => client.close())));

  const mineAndSync = async (blocks = 1) => {
    await standOf().mine(blocks);
    while (await real.sync());
  };
  const finish = async () => {
    await mineAndSync(FINAL_DEPTH + 1);
    await real.sync();
  };
  const five = async () =>
    refunds.ask(merchant, await refunds.settled(merchant), { amount: '5', address: customer });
  const state = (refund: RefundResource) => refunds.stateOf(merchant, refund);
  /** Sends what the refund says, as a wallet does. */
  const sign = ({ request }: RefundResource): Promise<string> => {
    if (request === undefined || !('to' in request)) throw new Error('nothing is to be signed');
    const { to, data, value } = request;
    return standOf().call(to, data, { value });
  };

  it('is what a wallet signs as it is told, and COMPLETED by its final transfer, not sooner', async () => {
    const refund = await five();
    const txHash = await sign(refund);
    await refunds.announce(merchant, refund, txHash);
    await real.sync();
    expect(await state(refund), 'in the pool').to.equal('SENT');
    await mineAndSync(FINAL_DEPTH - 1);
    expect(await state(refund), 'not final yet').to.equal('SENT');
    expect((await shop.payment(refund.payment_id)).amount_refunded).to.equal('0');
    await finish();
    expect(await refunds.now(merchant, refund)).to.include({ status: 'COMPLETED', tx_hash: txHash });
    expect(await standOf().balance('USDC', customer)).to.equal(unitsOf('USDC', 5));
  });

  it('in the native coin is a plain transfer of it', async () => {
    const id = await real.create({}, merchant);
    const { address } = await shop.payment(id);
    await standOf().send(address, 3_500_000_000_000_000n);
    await finish();
    await refunds.settle(id);
    const refund = await refunds.ask(merchant, id, { address: customer });
    expect(refund).to.include({ coin: 'ETH', coin_amount: '0.0035' });
    expect(refund.request).to.deep.equal({
      chainId: '0x1',
      to: customer,
      data: '0x',
      value: `0x${3_500_000_000_000_000n.toString(16)}`,
    });
    await sign(refund);
    await finish();
    expect(await state(refund)).to.equal('COMPLETED');
    expect((await shop.payment(id)).status).to.equal('REFUNDED');
  });

  it('says why what was announced is not it', async () => {
    const stand = standOf();
    const elsewhere = newAddress();
    const cases = [
      ['wrong_amount', () => stand.pay('USDC', customer, 4_999_999n)],
      ['wrong_coin', () => stand.pay('DAI', customer, 5_000_000n)],
      ['wrong_address', () => stand.pay('USDC', elsewhere, 5_000_000n)],
      ['wrong_address', () => stand.send(elsewhere, 5_000_000n)],
      ['reverted', () => stand.pay('USDC', customer, 10n ** 40n)],
    ] as const;
    const refund = await five();
    for (const [code, send] of cases) {
      const txHash = await send();
      await refunds.announce(merchant, refund, txHash);
      await mineAndSync();
      const { status, tx_hash, problem } = await refunds.now(merchant, refund);
      expect([status, tx_hash, problem?.code, problem?.tx_hash]).to.deep.equal([
        'AWAITING_SIGNATURE',
        null,
        code,
        txHash,
      ]);
    }
    await refunds.announce(merchant, refund, await sign({ ...refund }));
    await finish();
    expect(await state(refund)).to.equal('COMPLETED');
  });

  it('is not one of before it was accepted, and this is said', async () => {
    const id = await refunds.settled(merchant);
    const early = await standOf().pay('USDC', customer, 5_000_000n);
    await mineAndSync();
    const refund = await refunds.ask(merchant, id, { amount: '5', address: customer });
    await refunds.announce(merchant, refund, early);
    await finish();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE too_early');
  });

  it('is not one of before its address was known either, and this is said', async () => {
    const id = await refunds.settled(merchant);
    const refund = await refunds.ask(merchant, id, { amount: '5' });
    expect(refund.status).to.equal('NEEDS_ADDRESS');
    const early = await standOf().pay('USDC', customer, 5_000_000n);
    await mineAndSync();
    await harness.ctx.db.transaction(async (tx) => {
      const payment = await shop.payment(id);
      await setRefundAddress(tx, payment, { network: 'ethereum', address: customer }, harness.ctx.now());
    });
    await sendRefunds(harness.ctx, real.adapters.live, [refund.id]);
    await refunds.announce(merchant, refund, early);
    await finish();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE too_early');
    await sign(await refunds.now(merchant, refund));
    await finish();
    expect(await state(refund)).to.equal('COMPLETED');
  });

  it('is one transfer of the sum of what a transaction moves: half and half is it, twice is none', async () => {
    const stand = standOf();
    const batch = await stand.deploy(BATCH_CODE);
    const words = (...units: bigint[]) =>
      `0x${[contractOf('USDC'), ...units.flatMap((one) => [customer, one])].map((one) => wordOf(one).slice(2)).join('')}`;
    const id = await refunds.settled(merchant);
    const [first, second] = [
      await refunds.ask(merchant, id, { amount: '5', address: customer }),
      await refunds.ask(merchant, id, { amount: '5', address: customer }),
    ];
    const twice = await stand.call(batch, words(5_000_000n, 5_000_000n));
    await refunds.announce(merchant, first, twice);
    await finish();
    expect(await state(first)).to.equal('AWAITING_SIGNATURE wrong_amount');
    const halves = await stand.call(batch, words(2_000_000n, 3_000_000n));
    await finish();
    expect(await refunds.now(merchant, first)).to.include({ status: 'COMPLETED', tx_hash: halves });
    expect(await state(second)).to.equal('AWAITING_SIGNATURE');
  });

  it('waits again when its block is reorganised away, and is completed where it is mined again', async () => {
    const stand = standOf();
    const refund = await five();
    const txHash = await sign(refund);
    const raw = await stand.rawOf(txHash);
    await mineAndSync(3);
    expect(await state(refund)).to.equal('SENT');
    await stand.reorganise(3);
    await mineAndSync();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE');
    await finish();
    expect(await state(refund)).to.equal('AWAITING_SIGNATURE');
    await stand.rpc('eth_sendRawTransaction', raw);
    await finish();
    expect(await refunds.now(merchant, refund)).to.include({ status: 'COMPLETED', tx_hash: txHash });
  });

  it('is completed by the speed-up of what was announced', async () => {
    const stand = standOf();
    const refund = await five();
    const from = stand.account();
    const nonce = await stand.rpc<string>('eth_getTransactionCount', from, 'latest');
    const slow = await stand.pay('USDC', customer, 5_000_000n, { from, nonce });
    await refunds.announce(merchant, refund, slow);
    await real.sync();
    const higher = { maxFeePerGas: '0x12a05f2000', maxPriorityFeePerGas: '0x12a05f200' };
    const fast = await stand.pay('USDC', customer, 5_000_000n, { from, nonce, ...higher });
    await finish();
    expect(await refunds.now(merchant, refund)).to.include({ status: 'COMPLETED', tx_hash: fast });
  });

  it('to a busy address has the client keep nothing but what fits it', async () => {
    const stand = standOf();
    const refund = await five();
    for (let i = 1n; i <= 5n; i += 1n) await stand.pay('USDC', customer, i);
    await mineAndSync();
    const { cursor } = await harness.ctx.db('chain_cursors').where({ chain: 'ethereum/live' }).first();
    expect(cursor).to.not.include(customer);
    await sign(refund);
    await mineAndSync();
    expect(await state(refund)).to.equal('SENT');
  });

  it('that the watcher did not see is held, until it reads the block again', async () => {
    const refund = await five();
    const txHash = await sign(refund);
    real.tell((page) => ({ ...page, transfers: [] }));
    await mineAndSync();
    real.tell((page) => page);
    await refunds.announce(merchant, refund, txHash);
    await finish();
    harness.advance(60);
    await real.sync();
    expect(await state(refund)).to.equal('HELD not_scanned');
    const height = (await standOf().height()) - 2 * FINAL_DEPTH;
    const chain = { chain: 'ethereum/live' };
    await harness.ctx
      .db('chain_cursors')
      .where(chain)
      .update({ cursor: String(height) });
    await finish();
    expect(await state(refund)).to.equal('COMPLETED');
  });
});
