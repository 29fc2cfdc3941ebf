import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { readSigned } from '../../../../src/domain/chain/keys/sign.ts';
import { FLUSH } from '../../../../src/domain/wallets/flush/flush-code.ts';
import { Leadership } from '../../../../src/platform/postgres/leadership.ts';
import { wordOf } from '../../../support/anvil.ts';
import { compileContracts } from '../../../support/compile-contract.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { newAddress, unitsOf, useEvmStand } from '../../../support/evm-stand.ts';
import { FlushStand, type TokenKind } from '../../../support/flush-stand.ts';
import { BEGIN, type Harness } from '../../../support/harness.ts';
import { RawAnswerInstead, startLyingProxy } from '../../../support/lying-proxy.ts';
import { TREASURY } from '../../../support/wallets.ts';

/** Ten gwei: dear, and less than what customers pay here. */
const BASE_FEE = 10n ** 10n;

const { version } = createRequire(import.meta.url)('solc/package.json') as { version: string };

describe('the contract of a flush', function () {
  this.timeout(60_000);

  it('is compiled from its source to the bytes that a flush begins with', () => {
    const source = readFileSync(new URL('../../../../contracts/Flush.sol', import.meta.url), 'utf8');
    expect(version).to.equal(FLUSH.compiler);
    expect(compileContracts(source).Flush?.bytecode).to.equal(FLUSH.bytecode);
  });
});

describe('a flush of forwarders', function () {
  this.timeout(120_000);
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: FlushStand;
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new FlushStand(standOf(), harness, shop);
    await stand.setToken('USDT', 'NoReturn');
    await stand.setToken('POL', 'Refusing');
    await stand.begin();
  });
  afterEach(() => stand.close());

  const feesIn = (raw: Buffer): readonly [bigint, bigint] => {
    const { maxFeePerGas, maxPriorityFeePerGas } = readSigned(raw);
    return [maxFeePerGas, maxPriorityFeePerGas];
  };
  const usdc = (whole: number) => unitsOf('USDC', whole);
  const rows = () => stand.ctx.db('flushes').orderBy('sent_at').select('*');
  /** Runs until the flush that was sent has ended. */
  const finish = async () => {
    await stand.settle();
    return stand.flush();
  };

  it('moves several coins of many addresses, each to its own treasury, by one transaction', async () => {
    const other = newAddress();
    const [one, two] = [await stand.addMerchant(), await stand.addMerchant(other)];
    const first = await stand.addresses(one, 6);
    const second = await stand.addresses(two, 6);
    const before = await Promise.all(
      (['USDC', 'USDT', 'ETH'] as const).map((coin) => stand.holds(coin, TREASURY)),
    );
    for (const address of [...first, ...second]) await stand.pay('USDC', address, 100);
    for (const address of first) await stand.pay('USDT', address, 50);
    await stand.pay('ETH', first[0] ?? '', 1);
    await stand.pay('ETH', second[1] ?? '', 2);
    await stand.settle();
    const sent = await stand.flush();
    expect(sent.text).to.match(/^Sent 0x[0-9a-f]{64}: 12 addresses with \$10500.00/);
    expect(sent).to.deep.include({ isBad: false, hasSent: true });
    expect(sent.facts).to.include({ state: 'sent', addresses: 12, usd: '10500', account: stand.key.address });
    await stand.mine();
    const after = await Promise.all(
      (['USDC', 'USDT', 'ETH'] as const).map((coin) => stand.holds(coin, TREASURY)),
    );
    expect(after.map((now, i) => now - (before[i] ?? 0n))).to.deep.equal([usdc(600), usdc(300), 10n ** 18n]);
    expect([await stand.holds('USDC', other), await stand.holds('ETH', other)]).to.deep.equal([
      usdc(600),
      2n * 10n ** 18n,
    ]);
    for (const address of [...first, ...second]) expect(await stand.hasCode(address)).to.equal(true);
    expect((await stand.flush()).facts.state, 'not final yet').to.equal('mined');
    const ended = await finish();
    expect(ended.facts).to.deep.include({ state: 'nothing', found: 0 });
    expect(ended.text).to.match(
      /^0x[0-9a-f]{64} is final and flushed: gas \d+, \d+ an address, which cost 0\.\d+\./,
    );
    expect((await rows()).map(({ outcome, gas_used }) => [outcome, Number(gas_used)])).to.deep.equal([
      ['flushed', await stand.gasOf(sent.facts.tx_hash)],
    ]);
  });

  it('says what an address costs, the first time and later', async () => {
    const merchant = await stand.addMerchant();
    const addresses = await stand.addresses(merchant, 20);
    const figures: Record<string, number> = {};
    for (const count of [1, 20])
      for (const when of ['first', 'later']) {
        const own = count === 1 ? addresses.slice(0, 1) : addresses.slice(1);
        for (const address of own) await stand.pay('USDC', address, 1_000);
        await stand.settle();
        const { facts } = await stand.flush();
        expect(facts).to.include({ state: 'sent', addresses: own.length });
        await finish();
        const each = Math.round((await stand.gasOf(facts.tx_hash)) / own.length);
        figures[`${own.length} ${when}`] = each;
        console.log(
          `      gas an address, of ${own.length}, ${when}: ${each} (BitGo has published 70,000 to 88,000)`,
        );
      }
    expect(figures['19 first']).to.be.below(260_000);
    expect(figures['19 later']).to.be.below(60_000);
  });

  it('moves what arrives of a token that takes a fee', async () => {
    await stand.setToken('POL', 'FeeOnTransfer');
    const merchant = await stand.addMerchant();
    const [address = ''] = await stand.addresses(merchant, 1);
    await stand.pay('POL', address, 1_000);
    await stand.settle();
    const before = await stand.holds('POL', TREASURY);
    expect((await stand.flush()).facts).to.include({ state: 'sent', usd: '360' });
    await finish();
    expect((await stand.holds('POL', TREASURY)) - before).to.equal(unitsOf('POL', 810));
    expect(await stand.holds('POL', address)).to.equal(0n);
  });

  for (const kind of ['Refusing', 'Burning', 'Bombing'] as const satisfies readonly TokenKind[])
    for (const when of ['before', 'after'] as const)
      it(`goes on with the others, ${when} there is code, where a token is ${kind.toLowerCase()}`, async () => {
        await stand.setToken('POL', kind);
        const merchant = await stand.addMerchant();
        const addresses = await stand.addresses(merchant, 4);
        const [bad = '', ...good] = addresses;
        if (when === 'after') {
          for (const address of addresses) await stand.pay('USDC', address, 1_000);
          await stand.settle();
          expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 4 });
          await finish();
        }
        // It comes first, for it is worth most.
        await stand.pay('POL', bad, 90_000);
        for (const address of good) await stand.pay('USDC', address, 1_000);
        await stand.pay('USDC', bad, 1_000);
        await stand.settle();
        await stand.misbehave('POL', true);
        const before = await stand.holds('USDC', TREASURY);
        const { facts } = await stand.flush();
        expect(facts).to.include({ state: 'sent', addresses: 4 });
        await stand.mine();
        await stand.gasOf(facts.tx_hash);
        for (const address of good) expect(await stand.holds('USDC', address)).to.equal(0n);
        expect(await stand.holds('POL', bad)).to.equal(unitsOf('POL', 90_000));
        // Of an address with code each coin goes alone; without, a token that burns its gas keeps them all.
        const isKept = when === 'before' && kind !== 'Refusing';
        const moved = (await stand.holds('USDC', TREASURY)) - before;
        if (!isKept) expect(moved).to.equal(usdc(4_000));
        else expect([usdc(3_000), usdc(4_000)]).to.include(moved);
        // Not again with the next run, but with one an hour later.
        expect((await finish()).facts).to.include({ state: 'nothing' });
        await stand.misbehave('POL', false);
        harness.advance(3_601);
        await stand.storeRates(harness.ctx.now());
        expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 1 });
        await finish();
        expect(await stand.holds('POL', bad)).to.equal(0n);
      });

  it('moves an address again that is paid again, also late and in another coin', async () => {
    const merchant = await stand.addMerchant();
    const [address = ''] = await stand.addresses(merchant, 1);
    for (const coin of ['USDC', 'DAI', 'USDC'] as const) {
      await stand.pay(coin, address, 1_000);
      await stand.settle();
      expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 1 });
      expect((await finish()).facts.state).to.equal('nothing');
      expect(await stand.holds(coin, address)).to.equal(0n);
    }
  });

  it('beside an incoming payment loses nothing, whichever is first in the block', async () => {
    const merchant = await stand.addMerchant();
    const [address = ''] = await stand.addresses(merchant, 1);
    await stand.pay('USDC', address, 1_000);
    await stand.settle();
    const before = await stand.holds('USDC', TREASURY);
    const { facts } = await stand.flush();
    // Who pays less is behind the flush in the same block, who pays more before it.
    const fees = { maxFeePerGas: '0x1dcd6500', maxPriorityFeePerGas: '0x1' };
    await standOf().pay('USDC', address, usdc(500), fees);
    await stand.mine();
    await stand.gasOf(facts.tx_hash);
    expect(await stand.holds('USDC', address)).to.equal(usdc(500));
    const next = await finish();
    // What came is known to be there, and is not taken for a token that refuses, for longer than an hour.
    if (next.facts.state !== 'sent') {
      harness.advance(3_601);
      await stand.storeRates(harness.ctx.now());
      expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 1 });
    }
    await finish();
    expect((await stand.holds('USDC', TREASURY)) - before).to.equal(usdc(1_500));
    await stand.pay('USDC', address, 700);
    await stand.settle();
    const third = await stand.flush();
    await stand.pay('USDC', address, 800);
    await stand.mine();
    expect(await stand.holds('USDC', address)).to.equal(0n);
    expect(third.facts.state).to.equal('sent');
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
  });

  it('that is reorganised away is not counted, and is sent again as it was', async () => {
    const merchant = await stand.addMerchant();
    const [address = ''] = await stand.addresses(merchant, 1);
    await stand.pay('USDC', address, 1_000);
    await stand.settle();
    const { facts } = await stand.flush();
    await stand.mine(2);
    expect(await stand.holds('USDC', address)).to.equal(0n);
    await standOf().reorganise(2);
    expect(await stand.holds('USDC', address)).to.equal(usdc(1_000));
    expect(await stand.ctx.db('flushed_deposits')).to.deep.equal([]);
    expect((await stand.flush()).facts).to.include({ state: 'sent_again', tx_hash: facts.tx_hash });
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
    expect(await stand.holds('USDC', address)).to.equal(0n);
    expect(await rows()).to.have.length(1);
  });

  it('that no provider took is stored as it was signed, and the next run sends the same bytes', async () => {
    const proxy = await startLyingProxy(standOf().anvil);
    try {
      const merchant = await stand.addMerchant();
      const [address = ''] = await stand.addresses(merchant, 1);
      await stand.pay('USDC', address, 1_000);
      await stand.settle();
      stand.urls = [proxy.url];
      const answer = new RawAnswerInstead({ status: 502 });
      proxy.lie = ({ method }, truth) => (method === 'eth_sendRawTransaction' ? answer : truth);
      // The node has it, and says the opposite: broadcast once, by whom is all the same.
      const sent = await stand.flush();
      expect(sent.facts.state).to.equal('sent');
      proxy.lie = null;
      expect((await stand.flush()).facts).to.include({ state: 'sent_again', tx_hash: sent.facts.tx_hash });
      expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
      const nonce = await standOf().rpc<string>('eth_getTransactionCount', stand.key.address, 'latest');
      expect([Number(nonce), (await rows()).length]).to.deep.equal([1, 1]);
    } finally {
      await proxy.close();
    }
  });

  it('that waits for ten minutes is replaced for an eighth more, within the limit', async () => {
    const merchant = await stand.addMerchant();
    const [address = ''] = await stand.addresses(merchant, 1);
    await stand.pay('USDC', address, 1_000);
    await stand.settle();
    const first = await stand.flush();
    expect((await stand.flush()).facts.state).to.equal('sent_again');
    harness.advance(601);
    const limited = await stand.flush({ maxFeePercent: '0.001' });
    expect(limited.facts).to.include({ state: 'sent_again', tx_hash: first.facts.tx_hash });
    expect(limited.text).to.match(/as it was: more gas would cost up to .* dollars, above 0.001 %/);
    const replaced = await stand.flush();
    expect(replaced.facts).to.include({ state: 'replaced', replaces: first.facts.tx_hash });
    const [before, now] = await Promise.all(
      [first, replaced].map(({ facts }) =>
        stand.ctx.db('flushes').where({ tx_hash: facts.tx_hash }).first('nonce', 'account', 'raw'),
      ),
    );
    expect([now.nonce, now.account]).to.deep.equal([before.nonce, before.account]);
    const [cheap, dear] = [feesIn(before.raw), feesIn(now.raw)];
    expect(dear).to.deep.equal(cheap.map((fee) => (fee * 1_125n) / 1_000n + 1n));
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
    expect((await rows()).map(({ outcome }) => outcome)).to.have.members(['replaced', 'flushed']);
    expect(await stand.holds('USDC', address)).to.equal(0n);
  });

  it('is replaced at the price of the market, where that has risen by more than an eighth', async () => {
    const [address = ''] = await stand.addresses(await stand.addMerchant(), 1);
    await stand.pay('USDC', address, 1_000);
    await stand.settle();
    await stand.flush();
    // As after full blocks, each of which is up to an eighth dearer than the one before.
    await standOf().rpc('anvil_setNextBlockBaseFeePerGas', wordOf(BASE_FEE));
    await stand.mine();
    harness.advance(601);
    expect((await stand.flush()).facts.state).to.equal('replaced');
    const [, now] = await rows();
    expect(feesIn(now.raw)[0] >= 2n * BASE_FEE, 'it is mined as long as the price does not double').to.equal(
      true,
    );
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
    expect(await stand.holds('USDC', address)).to.equal(0n);
  });

  it('is not sent where its gas may cost more than a part of what moves, nor without gas', async () => {
    const merchant = await stand.addMerchant();
    const [address = '', small = ''] = await stand.addresses(merchant, 2);
    await stand.pay('USDC', address, 40);
    await stand.pay('USDC', small, 1);
    await stand.settle();
    const { max_fee_percent: most } = (await stand.flush({ key: null, maxFeePercent: '50' })).facts;
    // It is worth the gas of its own call, and not that of the transaction as well.
    const dear = await stand.flush({ maxFeePercent: (Number(most) * 0.9).toFixed(4) });
    expect(dear.facts).to.include({ state: 'too_dear', addresses: 1 });
    expect(dear).to.deep.include({ isBad: false, hasSent: false });
    await standOf().rpc('anvil_setBalance', stand.key.address, '0x1');
    const empty = await stand.flush({ maxFeePercent: '50' });
    expect(empty.facts).to.include({ state: 'no_gas', addresses: 1, uneconomic: 1 });
    expect(empty.isBad).to.equal(true);
    expect(empty.text).to.match(
      /The gas wallet 0x\w{40} holds 0\.000000000000000001 ETH: send it some more\./,
    );
    expect(await rows()).to.deep.equal([]);
  });

  it('says what it would do in a dry run, and writes nothing', async () => {
    const merchant = await stand.addMerchant();
    const [address = ''] = await stand.addresses(merchant, 1);
    await stand.pay('USDC', address, 1_000);
    await stand.settle();
    expect((await stand.flush({ key: null })).facts).to.include({
      state: 'planned',
      addresses: 1,
      usd: '1000',
    });
    expect((await stand.flush({ key: null, minUsd: '1000.01' })).facts.state).to.equal('nothing');
    const poor = await stand.flush({ key: null, maxFeePercent: '0' });
    expect(poor.facts).to.include({ state: 'nothing', uneconomic: 1 });
    expect(await rows()).to.deep.equal([]);
    await stand.flush();
    await stand.settle();
    expect((await stand.flush({ key: null })).facts).to.include({ state: 'nothing', found: 1 });
    expect((await rows()).map(({ outcome }) => outcome)).to.deep.equal([null]);
    for (const table of ['flushed_deposits', 'flush_looks'])
      expect(await stand.ctx.db(table), table).to.deep.equal([]);
  });

  it('waits until money is final, and leaves out what somebody else has moved', async () => {
    const merchant = await stand.addMerchant();
    const [address = ''] = await stand.addresses(merchant, 1);
    await stand.pay('USDC', address, 1_000);
    await stand.mine(3);
    while (await stand.real.sync());
    expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 0 });
    await stand.settle();
    await stand.deploy(address);
    await stand.mine();
    expect(await stand.holds('USDC', address)).to.equal(0n);
    expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 1 });
    await stand.settle();
    expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 1 });
    expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 0 });
  });

  it('signs for no wallet whose row was changed, and no address of another index; the others go on', async () => {
    const [changed, good] = [await stand.addMerchant(), await stand.addMerchant()];
    const [lost = ''] = await stand.addresses(changed, 1);
    const [moved = '', own = ''] = await stand.addresses(good, 2);
    for (const address of [lost, moved, own]) await stand.pay('USDC', address, 1_000);
    await stand.settle();
    const { db } = stand.ctx;
    const wallet = await db('wallets').where({ merchant_id: changed.id }).first('public_data');
    const thief = wallet.public_data.replace(TREASURY.toLowerCase(), newAddress());
    await db('wallets').where({ merchant_id: changed.id }).update({ public_data: thief });
    const { deposit_index } = await db('payments').where({ address: own }).first('deposit_index');
    await db('payments').where({ address: own }).update({ deposit_index: 999 });
    const sent = await stand.flush();
    expect(sent.facts).to.include({ state: 'sent', addresses: 1 });
    expect(sent.isBad).to.equal(true);
    expect(sent.text).to.match(/LEFT OUT: The wallet wal_\w+ is refused: its row was changed/);
    expect(sent.text).to.match(/LEFT OUT: Payment pay_\w+ has another address than index 999/);
    await stand.mine();
    const left = await Promise.all([lost, moved, own].map((address) => stand.holds('USDC', address)));
    expect(left).to.deep.equal([usdc(1_000), 0n, usdc(1_000)]);
    await db('wallets').where({ merchant_id: changed.id }).update({ public_data: wallet.public_data });
    await db('payments').where({ address: own }).update({ deposit_index });
  });

  it('moves what came to the further address of a payment that settles on another family of networks', async () => {
    const merchant = await stand.addMerchant();
    const [address = ''] = await stand.addresses(merchant, 1);
    await stand.pay('USDC', address, 1_000);
    await stand.settle();
    const { db } = stand.ctx;
    const { id: payment_id, wallet_id, deposit_index } = await db('payments').where({ address }).first('*');
    await db('further_deposits').insert({ payment_id, family: 'evm', wallet_id, deposit_index });
    const own = { wallet_id: 'wal_of_bitcoin', deposit_index: 0, address: 'bc1qanother' };
    await db('payments').where({ id: payment_id }).update(own);
    expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 1, usd: '1000' });
    await stand.mine();
    expect(await stand.holds('USDC', address)).to.equal(0n);
    await db('further_deposits').where({ payment_id }).delete();
    await db('payments').where({ id: payment_id }).update({ wallet_id, deposit_index, address });
  });

  it('does nothing beside another run, and nothing on a network that has halted', async () => {
    const lead = new Leadership(stand.ctx.config.databaseDirectUrl, 'other', 'flush ethereum');
    expect(await lead.hold()).to.equal(true);
    expect((await stand.flush()).facts.state).to.equal('busy');
    await lead.end();
    await stand.ctx.db('chain_cursors').update({ halted_at: harness.ctx.now() });
    const halted = await stand.flush();
    expect([halted.facts.state, halted.isBad]).to.deep.equal(['not_read', true]);
  });
});
