import { expect } from 'chai';
import { signingKey } from '../../../../src/domain/chain/keys/key-file.ts';
import { signTransaction } from '../../../../src/domain/chain/keys/sign.ts';
import { findCandidates } from '../../../../src/domain/wallets/flush/candidates.ts';
import { storeTransfers } from '../../../../src/domain/payments/transfers/store.ts';
import { flushCall } from '../../../../src/domain/wallets/flush/encode.ts';
import { abandonFlush } from '../../../../src/domain/wallets/flush/run.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { contractOf, newAddress, useEvmStand } from '../../../support/evm-stand.ts';
import { FlushStand } from '../../../support/flush-stand.ts';
import { BEGIN, type Harness } from '../../../support/harness.ts';
import { knownKey } from '../../../support/key-file.ts';
import { startLyingProxy, type LyingProxy, type RpcCall } from '../../../support/lying-proxy.ts';

/** Takes what it is paid where nobody has sent the transaction, as in an estimate; else uses up all gas. */
const BURNS_IN_EARNEST = '0x32600557005bfe';
const BALANCE_OF = '0x70a08231';

describe('a flush of forwarders, under attack', function () {
  this.timeout(120_000);
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: FlushStand;
  let proxy: LyingProxy;
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new FlushStand(standOf(), harness, shop);
    proxy = await startLyingProxy(standOf().anvil);
    await stand.begin();
  });
  afterEach(() => Promise.all([stand.close(), proxy.close()]));

  const rows = () => stand.ctx.db('flushes').orderBy('sent_at').select('*');
  const finish = async () => {
    await stand.settle();
    return stand.flush();
  };
  /** An hour later, with rates of then. */
  const later = async (seconds = 3_601) => {
    harness.advance(seconds);
    await stand.storeRates(harness.ctx.now());
  };
  const paid = async (merchant: { id: string; apiKey: string }, count: number, whole = 1_000) => {
    const addresses = await stand.addresses(merchant, count);
    for (const address of addresses) await stand.pay('USDC', address, whole);
    await stand.settle();
    return addresses;
  };
  const leftAt = async (addresses: readonly string[]) => {
    const left = await Promise.all(addresses.map((address) => stand.holds('USDC', address)));
    return left.filter((units) => units > 0n).length;
  };
  const isBalance = ({ method, params: [call] }: RpcCall) =>
    method === 'eth_call' && (call as { data: string }).data.startsWith(BALANCE_OF);

  it('moves the others where somebody deploys forwarders before it, which costs it next to nothing', async () => {
    const addresses = await paid(await stand.addMerchant(), 6);
    const { facts } = await stand.flush();
    expect(facts).to.include({ state: 'sent', addresses: 6 });
    const strangers = await Promise.all(addresses.slice(0, 4).map((address) => stand.deploy(address)));
    await stand.mine();
    for (const hash of strangers) await stand.gasOf(hash);
    expect(await leftAt(addresses)).to.equal(0);
    // A second deployment would use up what one may take, four times.
    expect(await stand.gasOf(facts.tx_hash)).to.be.below(650_000);
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
  });

  it('moves the others where a treasury uses up the gas, which it did not in the estimate', async () => {
    const hostile = newAddress();
    await standOf().rpc('anvil_setCode', hostile, BURNS_IN_EARNEST);
    const [bad, good] = [await stand.addMerchant(hostile), await stand.addMerchant()];
    const burning = await stand.addresses(bad, 5);
    // They come first, for they are worth most.
    for (const address of burning) await stand.pay('ETH', address, 1);
    const addresses = await paid(good, 2);
    const { facts } = await stand.flush();
    expect(facts).to.include({ state: 'sent', addresses: 7 });
    await stand.mine();
    await stand.gasOf(facts.tx_hash);
    expect(await leftAt(addresses)).to.equal(0);
    expect((await finish()).facts).to.include({ state: 'nothing' });
  });

  it('is followed up without rates, and nothing new is sent', async () => {
    await paid(await stand.addMerchant(), 1);
    const { facts } = await stand.flush();
    harness.advance(2 * 86_400);
    const again = await stand.flush();
    expect(again.facts).to.include({ state: 'sent_again', tx_hash: facts.tx_hash });
    expect(again.text).to.include('as it was: no rate of the native coin is younger than a day');
    await stand.mine();
    expect((await stand.flush()).facts.state).to.equal('mined');
    await stand.settle();
    const ended = await stand.flush();
    expect(ended.facts.state).to.equal('no_rate');
    expect(ended.text).to.match(/^0x\w+ is final and flushed: [^]*\nNo rate of ETH is younger than a day/);
    expect((await rows()).map(({ outcome }) => outcome)).to.deep.equal(['flushed']);
  });

  it('that waits for transactions that nobody sends is abandoned by hand, and made again', async () => {
    const addresses = await paid(await stand.addMerchant(), 1);
    stand.urls = [proxy.url];
    proxy.lie = ({ method }, truth) => (method === 'eth_getTransactionCount' ? '0x5' : truth);
    const { facts } = await stand.flush();
    proxy.lie = null;
    await later();
    const stuck = await stand.flush();
    expect([stuck.facts.state, stuck.isBad]).to.deep.equal(['sent_again', true]);
    expect(stuck.text).to.include('its number is 5, and its account has sent 0 transactions');
    expect(await rows()).to.have.length(1);
    const other = await abandonFlush(stand.ctx, 'ethereum', `0x${'ab'.repeat(32)}`).catch(
      (error: Error) => error.message,
    );
    expect(other).to.match(/^0x(ab)+ is no open flush of ethereum/);
    const ended = await abandonFlush(stand.ctx, 'ethereum', String(facts.tx_hash));
    expect(ended).to.deep.include({ isBad: false, hasSent: true });
    expect(ended.facts).to.include({ state: 'abandoned', tx_hash: facts.tx_hash, transactions: 1 });
    expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 1 });
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
    expect((await rows()).map(({ outcome, nonce }) => [outcome, nonce])).to.deep.equal([
      ['abandoned', '5'],
      ['flushed', '0'],
    ]);
    expect(await leftAt(addresses)).to.equal(0);
  });

  it('signs nothing for who owns the database that its key has not signed before', async () => {
    await paid(await stand.addMerchant(), 1);
    const { facts } = await stand.flush();
    const forged = await signTransaction(signingKey(knownKey(1)), {
      chainId: 1,
      nonce: 0,
      maxPriorityFeePerGas: 10n ** 14n,
      maxFeePerGas: 10n ** 14n,
      gas: 1_000_000n,
      to: Buffer.from(newAddress().slice(2), 'hex'),
      value: 10n ** 17n,
      input: Buffer.alloc(0),
    });
    await stand.ctx.db('flushes').update({ raw: forged.raw, usd: '1000000000' });
    await later();
    const again = await stand.flush();
    expect(again.facts).to.include({ state: 'sent_again', tx_hash: facts.tx_hash });
    expect(again.text).to.include('this key has not signed what is stored of it');
    expect(await rows()).to.have.length(1);
  });

  it('looks again at an address whose node has once answered as of before its money came', async () => {
    const addresses = await paid(await stand.addMerchant(), 1);
    stand.urls = [proxy.url];
    proxy.lie = (call, truth) => (isBalance(call) ? `0x${'0'.repeat(64)}` : truth);
    expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 1 });
    await stand.settle();
    expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 1 });
    proxy.lie = null;
    expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 1 });
    await stand.mine();
    expect(await leftAt(addresses)).to.equal(0);
  });

  it('looks again at an address with code that another provider says holds something', async () => {
    const addresses = await paid(await stand.addMerchant(), 1);
    await stand.flush();
    await finish();
    await stand.pay('USDC', addresses[0] ?? '', 500);
    await stand.settle();
    stand.urls = [proxy.url, standOf().anvil.url];
    proxy.lie = (call, truth) => (isBalance(call) ? `0x${'0'.repeat(64)}` : truth);
    for (let i = 0; i < 2; i += 1)
      expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 1 });
    proxy.lie = null;
    expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 1, usd: '500' });
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
  });

  it('moves what a stranger moves in a block that is not final, and that is reorganised away', async () => {
    const [late = ''] = await paid(await stand.addMerchant(), 1);
    await stand.flush();
    await finish();
    // One has code now, and the other one gets it from the stranger.
    const [fresh = ''] = await paid(await stand.addMerchant(), 1);
    await stand.pay('USDC', late, 500);
    await stand.settle();
    await stand.deploy(fresh);
    await standOf().call(late, `0x${flushCall([contractOf('USDC')]).toString('hex')}`);
    await stand.mine();
    expect(await leftAt([late, fresh])).to.equal(0);
    expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 2 });
    await standOf().reorganise(1);
    expect(await leftAt([late, fresh])).to.equal(2);
    expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 2, usd: '1500' });
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
    expect(await leftAt([late, fresh])).to.equal(0);
  });

  it('believes no empty balance of an address that has code in the newest block alone', async () => {
    const [address = ''] = await paid(await stand.addMerchant(), 1);
    await stand.deploy(address);
    await stand.mine();
    stand.urls = [proxy.url];
    proxy.lie = (call, truth) => (isBalance(call) ? `0x${'0'.repeat(64)}` : truth);
    expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 1 });
    proxy.lie = null;
    await standOf().reorganise(1);
    expect((await stand.flush()).facts).to.include({ state: 'sent', addresses: 1 });
    await finish();
    expect(await leftAt([address])).to.equal(0);
  });

  it('takes no more for moved than the service knows, whatever a node says is there', async () => {
    await paid(await stand.addMerchant(), 1);
    stand.urls = [proxy.url];
    proxy.lie = (call, truth) => (isBalance(call) ? `0x${(10n ** 30n).toString(16)}` : truth);
    expect((await stand.flush({ key: null })).facts).to.include({ state: 'planned', usd: '1000' });
  });

  it('asks no provider of another chain, and gives what it signs to all', async () => {
    await paid(await stand.addMerchant(), 1);
    proxy.lie = ({ method }, truth) => (method === 'eth_chainId' ? '0x2' : truth);
    stand.urls = [proxy.url];
    const said = await stand.flush().catch((error: Error) => error.message);
    expect(said).to.match(/serves chain 2, not 1$/);
    stand.urls = [standOf().anvil.url, proxy.url];
    expect((await stand.flush()).facts.state).to.equal('sent');
    expect(proxy.calls.filter(({ method }) => method === 'eth_sendRawTransaction')).to.have.length(1);
  });

  it('is not final for a receipt of another branch, nor before the watcher has read so far', async () => {
    await paid(await stand.addMerchant(), 1);
    const { facts } = await stand.flush();
    await stand.mine();
    stand.urls = [proxy.url];
    proxy.lie = ({ method }, truth) =>
      method === 'eth_getTransactionReceipt' ? { ...(truth as object), blockNumber: '0x1' } : truth;
    expect((await stand.flush()).facts).to.include({ state: 'mined', tx_hash: facts.tx_hash });
    proxy.lie = null;
    await stand.mine(20);
    expect((await stand.flush()).facts).to.include({ state: 'mined', tx_hash: facts.tx_hash });
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
    const { db } = stand.ctx;
    const moved = await db('transfers').first('*');
    expect(moved.has_left).to.equal(true);
    // Another branch, below what was final, has it in another block.
    for (const [block_hash, has_left] of [
      [moved.block_hash, true],
      [`0x${'ab'.repeat(32)}`, false],
    ]) {
      await db.transaction((tx) => storeTransfers(tx, [{ ...moved, block_hash }]));
      expect(await db('transfers').first('has_left')).to.deep.equal({ has_left });
    }
    const { block_hash, confirmed_at } = moved;
    await db('transfers').update({ block_hash, confirmed_at });
  });

  it('moves the others, however many addresses of a refused wallet hold more', async () => {
    const [changed, good] = [await stand.addMerchant(), await stand.addMerchant()];
    const [lost = ''] = await paid(changed, 1, 2_000);
    const addresses = await paid(good, 1);
    const { db } = stand.ctx;
    const { mac } = await db('wallets').where({ merchant_id: changed.id }).first('mac');
    await db('wallets')
      .where({ merchant_id: changed.id })
      .update({ mac: Buffer.alloc(32) });
    const { id } = await db('payments').where({ address: lost }).first('id');
    const copy = (table: string, fields: string, where: string) =>
      db.raw(
        `INSERT INTO ${table} OVERRIDING USER VALUE
         SELECT (jsonb_populate_record(r, jsonb_build_object(${fields}))).*
         FROM ${table} r, generate_series(1, 600) AS i WHERE ${where} = ?`,
        [id],
      );
    const own = `'pay_01KF' || lpad(i::text, 22, '0')`;
    await copy('payments', `'id', ${own}, 'token_id', 'copy' || i, 'deposit_index', 1000 + i`, 'r.id');
    await copy('transfers', `'payment_id', ${own}, 'tx_hash', 'copy' || i`, 'r.payment_id');
    const sent = await stand.flush();
    expect(sent.facts).to.include({ state: 'sent', addresses: 1, found: 602 });
    await stand.mine();
    expect(await leftAt(addresses)).to.equal(0);
    await db('wallets').where({ merchant_id: changed.id }).update({ mac });
    for (const [table, column] of [
      ['transfers', 'payment_id'],
      ['payments', 'id'],
    ] as const)
      await db(table).where(column, 'like', 'pay_01KF0%').delete();
  });

  it('says so where a provider does not say who holds a coin, and moves the others', async () => {
    const addresses = await paid(await stand.addMerchant(), 2);
    stand.urls = [proxy.url];
    const bare = (addresses[0] ?? '').slice(2);
    proxy.before = (call) => {
      if (isBalance(call) && JSON.stringify(call.params).includes(bare))
        throw Object.assign(new Error('limit exceeded'), { code: -32_005 });
    };
    const sent = await stand.flush();
    expect(sent.facts).to.include({ state: 'sent', addresses: 1, usd: '1000' });
    expect(sent.isBad).to.equal(true);
    expect(sent.text).to.match(/^LEFT OUT: Provider 1 localhost:\d+ does not say who holds USDC\n/);
  });

  it('looks at others before those that are not worth it, whatever once came to these', async () => {
    const merchant = await stand.addMerchant();
    const [dusted = ''] = await paid(merchant, 1);
    await stand.flush();
    await stand.mine();
    // As good as nothing, before the flush is final: it looks like money that did not go.
    await standOf().pay('USDC', dusted, 1n);
    await finish();
    await later();
    expect((await stand.flush()).facts).to.include({ state: 'nothing', found: 1, uneconomic: 1 });
    const [other = ''] = await paid(merchant, 1, 500);
    const { db, systemNow } = stand.ctx;
    const search = { network: 'ethereum', finalHeight: 1e9, minUsd: '0', limit: 1, ids: null } as const;
    const [first] = await findCandidates(db, {
      ...search,
      refused: [],
      now: systemNow(),
    });
    expect(first).to.deep.include({ address: other, amounts: { USDC: '500' }, found: 2 });
  });

  it('looks at others before those of a wallet that is refused', async () => {
    const [changed, good] = [await stand.addMerchant(), await stand.addMerchant()];
    await paid(changed, 1, 2_000);
    const [own = ''] = await paid(good, 1);
    const { db, systemNow } = stand.ctx;
    const { id } = await db('wallets').where({ merchant_id: changed.id }).first('id');
    const search = { network: 'ethereum', finalHeight: 1e9, minUsd: '0', limit: 1, ids: null } as const;
    const [first] = await findCandidates(db, {
      ...search,
      refused: [id],
      now: systemNow(),
    });
    expect(first).to.include({ address: own, found: 2 });
  });

  it('sends nothing once it has lost its lock', async () => {
    await paid(await stand.addMerchant(), 1);
    stand.urls = [proxy.url];
    proxy.before = async ({ method }) => {
      if (method === 'eth_estimateGas')
        await stand.ctx.db.raw(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = 'flush ethereum' AND datname = current_database()`,
        );
    };
    expect(
      await stand.flush().then(
        ({ facts }) => facts.state,
        () => 'it failed',
      ),
    ).to.equal('it failed');
    expect(await rows()).to.deep.equal([]);
    expect(proxy.calls.filter(({ method }) => method === 'eth_sendRawTransaction')).to.deep.equal([]);
  });

  it('is one where two run at once, and one has waited for the other', async () => {
    await paid(await stand.addMerchant(), 1);
    const states = await Promise.all([stand.flush(), stand.flush()]);
    expect(states.map(({ facts }) => facts.state)).to.include('sent');
    expect(await rows()).to.have.length(1);
    expect((await finish()).facts).to.include({ state: 'nothing', found: 0 });
  });
});
