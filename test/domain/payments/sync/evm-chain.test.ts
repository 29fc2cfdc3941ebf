import { expect } from 'chai';
import { EvmClient } from '../../../../src/domain/chain/evm/client.ts';
import { rescanChain } from '../../../../src/domain/ops/chains.ts';
import { endHoldsOf } from '../../../../src/domain/payments/processing/expire.ts';
import { wordOf } from '../../../support/anvil.ts';
import { eachShop } from '../../../support/each-shop.ts';
import {
  contractOf,
  FINAL_DEPTH,
  newAddress,
  ROUTER_CODE,
  unitsOf,
  useEvmStand,
} from '../../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

describe('payments on an EVM network', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  let id: string;
  let address: string;
  const clients: EvmClient[] = [];
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    const client = new EvmClient(
      {
        network: 'ethereum',
        chainId: 1,
        urls: [standOf().anvil.url],
        finality: { hasCheckpoints: true, depth: 2 },
      },
      harness.ctx.now,
    );
    clients.push(client);
    real = openRealNetwork(harness, shop, () => client);
    // Blocks have their time from the machine's clock since the chain's begin.
    harness.advance(300);
    await real.sync();
    id = await real.create();
    address = (await shop.payment(id)).address ?? '';
  });
  after(() => Promise.all(clients.map((client) => client.close())));

  const price = unitsOf('USDC', 10) + 500_000n;
  const mineAndSync = async (blocks: number) => {
    await standOf().mine(blocks);
    while (await real.sync());
  };
  const confirm = async () => {
    await mineAndSync(FINAL_DEPTH + 1);
    // Two polls must agree on what is final.
    await real.sync();
  };
  const stories = () => shop.story(id);

  it('are PENDING when the pool has their money, and PROCESSING when its block is final', async () => {
    const stand = standOf();
    const hash = await stand.pay('USDC', address, price);
    await real.sync();
    expect(await stories()).to.deep.equal(['created WAITING', 'pending PENDING']);
    await mineAndSync(1);
    expect(await stories()).to.have.length(2);
    await confirm();
    expect(await stories()).to.deep.equal(['created WAITING', 'pending PENDING', 'processing PROCESSING']);
    expect(await shop.payment(id)).to.include({ tx_hash: hash, amount_received: '10.5' });
  });

  it('take the money of a reorganised block back, and count it once where it is mined again', async () => {
    const stand = standOf();
    const hash = await stand.pay('USDC', address, price);
    const raw = await stand.rawOf(hash);
    await mineAndSync(3);
    await stand.reorganise(3);
    await mineAndSync(1);
    expect(await real.statusOf(id)).to.equal('PENDING');
    expect((await shop.payment(id)).exceptions).to.deep.equal(['reorged']);
    await stand.rpc('eth_sendRawTransaction', raw);
    await mineAndSync(1);
    await confirm();
    expect(await real.statusOf(id)).to.equal('PROCESSING');
    expect((await shop.payment(id)).amount_received).to.equal('10.5');
  });

  it('are confirmed no sooner where an operator has blocks read again that are not final', async () => {
    const stand = standOf();
    await stand.pay('USDC', address, price);
    await mineAndSync(2);
    const { db } = harness.ctx;
    const { final_height } = await db('chain_cursors').where({ chain: 'ethereum/live' }).first();
    expect(await rescanChain(db, 'ethereum', await stand.height())).to.equal(Number(final_height) + 1);
    while (await real.sync());
    for (let poll = 0; poll < 2; poll += 1) await real.sync();
    expect(await real.statusOf(id)).to.equal('PENDING');
    await confirm();
    expect(await real.statusOf(id)).to.equal('PROCESSING');
    expect((await shop.payment(id)).amount_received).to.equal('10.5');
  });

  it('fail when another transaction took the money elsewhere, once that is final', async () => {
    const stand = standOf();
    const from = stand.account();
    const nonce = await stand.rpc<string>('eth_getTransactionCount', from, 'latest');
    await stand.pay('USDC', address, price, { from, nonce });
    await mineAndSync(1);
    await stand.reorganise(1);
    await stand.pay('USDC', newAddress(), price, { from, nonce });
    await mineAndSync(1);
    expect(await real.statusOf(id)).to.equal('PENDING');
    await confirm();
    expect(await real.statusOf(id)).to.equal('FAILED');
    expect((await shop.payment(id)).exceptions).to.include('replaced');
  });

  it('are credited once with what the branch has in which a transaction moves another amount', async () => {
    const stand = standOf();
    const router = await stand.deploy(ROUTER_CODE);
    await stand.rpc('anvil_setStorageAt', router, wordOf(0n), wordOf(price));
    const words = [contractOf('USDC'), address].map((value) => wordOf(value).slice(2));
    const raw = await stand.rawOf(await stand.call(router, `0x${words.join('')}`));
    await mineAndSync(1);
    expect((await shop.payment(id)).amount_received).to.equal('10.5');
    await stand.reorganise(1);
    await stand.rpc('anvil_setStorageAt', router, wordOf(0n), wordOf(unitsOf('USDC', 4)));
    await stand.rpc('eth_sendRawTransaction', raw);
    await mineAndSync(1);
    await confirm();
    expect(await real.statusOf(id)).to.equal('PENDING');
    expect((await shop.payment(id)).amount_received).to.equal('4');
  });

  it('count as of their block where they had lapsed, also when nobody read it until after the deadline', async () => {
    const stand = standOf();
    const hash = await stand.pay('USDC', address, price);
    const raw = await stand.rawOf(hash);
    await real.sync();
    await stand.rpc('anvil_dropTransaction', hash);
    const mineAt = async (minutes: number) => {
      const { created_at } = await shop.payment(id);
      const time = Math.ceil(created_at.getTime() / 1000) + 60 * minutes;
      await stand.rpc('evm_setNextBlockTimestamp', time);
      await stand.mine();
      harness.advance(time - harness.ctx.now().getTime() / 1000);
    };
    await mineAt(35);
    while (await real.sync());
    await endHoldsOf(harness.ctx, real.adapters.live, [id]);
    expect((await shop.payment(id)).fully_funded).to.equal(false);
    await stand.rpc('eth_sendRawTransaction', raw);
    await mineAt(50);
    harness.advance(3 * 3_600);
    await confirm();
    expect(await real.statusOf(id)).to.equal('PROCESSING');
    expect((await shop.payment(id)).exceptions).to.deep.equal([]);
  });

  it('keep the money of a speed-up as what it is: the same', async () => {
    const stand = standOf();
    const from = stand.account();
    const nonce = await stand.rpc<string>('eth_getTransactionCount', from, 'latest');
    await stand.pay('USDC', address, price, { from, nonce });
    await real.sync();
    const higher = { maxFeePerGas: '0x12a05f2000', maxPriorityFeePerGas: '0x12a05f200' };
    const fast = await stand.pay('USDC', address, price, { from, nonce, ...higher });
    await mineAndSync(1);
    await confirm();
    expect(await stories()).to.deep.equal(['created WAITING', 'pending PENDING', 'processing PROCESSING']);
    expect(await shop.payment(id)).to.include({ tx_hash: fast, amount_received: '10.5' });
    expect((await shop.payment(id)).exceptions).to.deep.equal([]);
  });
});
