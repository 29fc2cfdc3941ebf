import { sign } from 'node:crypto';
import { appendFile, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { intentHash, readIntent } from '../../../src/domain/payments/refunds/by-signer/intent.ts';
import { readSigned } from '../../../src/domain/chain/keys/sign.ts';
import { reviewAwaited } from '../../../src/domain/payments/refunds/by-merchant/review.ts';
import { setRefundAddress } from '../../../src/domain/payments/refunds/refund-address.ts';
import { sendRefunds } from '../../../src/domain/payments/refunds/send.ts';
import { holdPayout, releaseAccount, releasePayout } from '../../../src/domain/payouts/decide.ts';
import { approvalText } from '../../../src/domain/payouts/judge.ts';
import { storeJournal } from '../../../src/domain/payouts/signer.ts';
import { wordOf } from '../../support/anvil.ts';
import { countStatements } from '../../support/counted-db.ts';
import { eachShop } from '../../support/each-shop.ts';
import { newAddress, unitsOf, useEvmStand } from '../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../support/harness.ts';
import { RawAnswerInstead, startLyingProxy, type LyingProxy } from '../../support/lying-proxy.ts';
import type { Shop } from '../../support/shop.ts';
import { SignerStand } from '../../support/signer-stand.ts';

describe('the signer', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: SignerStand;
  let customer: string;
  let shop: Shop;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    stand = new SignerStand(standOf(), harness, shop);
    customer = newAddress();
    await stand.begin();
  });
  afterEach(() => stand.close());

  const usdc = () => standOf().balance('USDC', customer);
  const approve = async (id: string, by = 'Ann', chainId = 1) => {
    const intent = await readIntent(harness.ctx.db, id);
    if (intent === null) throw new Error('there is no intent');
    const approval = sign(null, approvalText(chainId, intentHash(intent)), stand.approver).toString('base64');
    await harness.ctx.db('payout_intents').where({ refund_id: id }).update({ approved_by: by, approval });
  };

  describe('pays a refund', () => {
    it('of a token, which its final transfer completes, and not the word of the signer', async () => {
      const merchant = await stand.real.addMerchant();
      const refund = await stand.offered(merchant, customer);
      expect(await stand.refunds.now(merchant, refund)).to.not.have.property('request');
      await stand.pass();
      expect(await stand.stateOf(refund.id)).to.equal('signed');
      expect(await stand.refunds.stateOf(merchant, refund)).to.equal('AWAITING_SIGNATURE');
      await stand.settle();
      const { tx_hash } = await stand.refunds.now(merchant, refund);
      expect(await stand.refunds.stateOf(merchant, refund)).to.equal('COMPLETED');
      await stand.pass();
      expect([await stand.stateOf(refund.id), (await stand.row(refund.id)).tx_hash]).to.deep.equal([
        'paid',
        tx_hash,
      ]);
      expect(await usdc()).to.equal(unitsOf('USDC', 5));
    });

    it('of the native coin', async () => {
      const id = await stand.insert({ coin: 'ETH', amount: '0.1', address: customer });
      await stand.pass();
      await stand.settle();
      await stand.pass();
      expect(await stand.stateOf(id)).to.equal('paid');
      expect(BigInt(await standOf().rpc<string>('eth_getBalance', customer, 'latest'))).to.equal(10n ** 17n);
    });

    it('once, however often it is offered, and many in the order of their numbers', async () => {
      const merchant = await stand.real.addMerchant();
      const refund = await stand.offered(merchant, customer);
      await stand.offer(merchant, refund.id);
      await stand.insert({ address: customer });
      await stand.pass();
      await stand.pass();
      await stand.settle();
      expect([await stand.sent(), await usdc()]).to.deep.equal([2, unitsOf('USDC', 10)]);
    });

    it('whose address comes later, and can be cleared until it is offered, not afterwards', async () => {
      const merchant = await stand.real.addMerchant();
      const refund = await stand.refunds.ask(merchant, await stand.refunds.settled(merchant), {
        amount: '5',
      });
      const clear = (status: number) =>
        harness
          .api('delete', `/v1/payment/${refund.payment_id}/refund-address`, merchant.apiKey)
          .expect(status);
      const give = async () => {
        await harness.ctx.db.transaction(async (tx) => {
          const payment = await shop.payment(refund.payment_id);
          await setRefundAddress(tx, payment, { network: 'ethereum', address: customer }, harness.ctx.now());
        });
        await sendRefunds(harness.ctx, stand.real.adapters.live, [refund.id]);
      };
      await give();
      const due = await harness.ctx.db('scheduled_jobs').where({ job: 'refund.offer' }).select('key');
      expect(due).to.deep.equal([{ key: refund.id }]);
      await clear(200);
      await stand.offer(merchant, refund.id);
      expect(await harness.ctx.db('payout_intents')).to.deep.equal([]);
      await give();
      await stand.offer(merchant, refund.id);
      await clear(409);
      await stand.pass();
      await stand.settle();
      expect(await stand.refunds.stateOf(merchant, refund)).to.equal('COMPLETED');
      expect(await usdc()).to.equal(unitsOf('USDC', 5));
    });

    it('that is held no more for coins that are not confirmed, once it was offered, and is not offered before', async () => {
      const merchant = await stand.real.addMerchant();
      const refund = await stand.refunds.ask(merchant, await stand.refunds.settled(merchant), {
        amount: '5',
        address: customer,
      });
      const { db } = harness.ctx;
      const { payment_id } = refund;
      const transfers = () => db('transfers').where({ payment_id });
      const { network, tx_hash, coin, ...was } = await transfers().first(
        'network',
        'tx_hash',
        'coin',
        'confirmed_at',
        'converted',
        'returned',
      );
      // As if a part of what came were held, and went back.
      await transfers().update({ confirmed_at: null, converted: '9.5', returned: '1' });
      const part = { refund_id: refund.id, payment_id, network, tx_hash, coin, coins: '1' };
      await db('refund_parts').insert(part);
      await stand.offer(merchant, refund.id);
      expect(await stand.refunds.stateOf(merchant, refund)).to.equal('HELD uncovered');
      expect(await db('payout_intents')).to.deep.equal([]);
      await transfers().update({ confirmed_at: was.confirmed_at });
      await stand.offer(merchant, refund.id);
      expect(await db('payout_intents')).to.have.length(1);
      await transfers().update({ confirmed_at: null });
      await db.transaction((tx) => reviewAwaited(tx, [payment_id], harness.ctx.now()));
      expect(await stand.refunds.stateOf(merchant, refund)).to.equal('AWAITING_SIGNATURE');
      await transfers().update(was);
      await db('refund_parts').where({ refund_id: refund.id }).delete();
    });
  });

  it('is not asked for merchants whom nobody has named', async () => {
    const merchant = await stand.real.addMerchant();
    const id = await stand.refunds.settled(merchant);
    const refund = await stand.refunds.ask(merchant, id, { amount: '5', address: customer });
    await stand.offer({ ...merchant, id: 'mer_another' }, refund.id);
    expect(await harness.ctx.db('payout_intents')).to.deep.equal([]);
    expect(await stand.refunds.now(merchant, refund)).to.have.property('request');
  });

  describe('with what the role of a worker inserts', () => {
    it('signs nothing above a limit, before or after a release, and goes on with what is below', async () => {
      stand.settings = { usd: { perIntent: '20', perHour: '45', perDay: '60' } };
      const large = await stand.insert({ amount: '21' });
      await stand.pass();
      expect(await stand.stateOf(large)).to.equal('held: 21 USD is above perIntent, 20 USD');
      const small = [await stand.insert({ amount: '15' }), await stand.insert({ amount: '15' })];
      const third = await stand.insert({ amount: '15' });
      for (let i = 0; i < 2; i += 1) await stand.pass();
      for (const id of small) expect(await stand.stateOf(id)).to.equal('signed');
      expect(await stand.stateOf(third)).to.match(
        /^held: 15[.\d]* USD after 30[.\d]* USD is above perHour, 45 USD/,
      );
      expect(await releasePayout(harness.ctx.db, third)).to.equal(true);
      await stand.pass();
      expect(await stand.stateOf(third)).to.match(/^held: /);
      harness.advance(3_601);
      await releasePayout(harness.ctx.db, third);
      await stand.pass();
      expect(await stand.stateOf(third)).to.equal('signed');
      const fourth = await stand.insert({ amount: '15' });
      await stand.pass();
      expect(await stand.stateOf(fourth)).to.match(/is above perDay, 60 USD/);
    });

    it('counts units of a coin as well', async () => {
      const own = { usd: '1', perIntent: '10', perHour: '12', perDay: '12' };
      const { networks } = stand.configuration as { networks: { ethereum: { coins: object } } };
      const coins = { ...networks.ethereum.coins, USDC: own };
      stand.settings = { networks: { ethereum: { ...networks.ethereum, coins } } };
      const ids = [await stand.insert({ amount: '11' }), await stand.insert({ amount: '10' })];
      const last = await stand.insert({ amount: '3' });
      await stand.pass();
      expect(await Promise.all([...ids, last].map((id) => stand.stateOf(id)))).to.deep.equal([
        'held: 11 USDC is above perIntent, 10 USDC',
        'signed',
        'held: 3 USDC after 10 USDC is above perHour, 12 USDC',
      ]);
    });

    it('gives no limit back for rows that are deleted, and signs no refund twice', async () => {
      stand.settings = { usd: { perIntent: '20', perHour: '25', perDay: '25' } };
      const id = await stand.insert({ amount: '19', address: customer });
      await stand.pass();
      await harness.ctx.db('payouts').delete();
      await harness.ctx.db('payout_intents').delete();
      const [again, other] = [
        await stand.insert({ refund_id: id, amount: '1' }),
        await stand.insert({ amount: '6' }),
      ];
      await stand.pass();
      expect(await stand.stateOf(again)).to.match(/^held: it was signed before/);
      expect(await stand.stateOf(other)).to.match(/^held: .*perHour/);
      await stand.restart();
      await stand.pass();
      expect(await stand.stateOf(id), 'restored from the journal').to.equal('signed');
      await stand.settle();
      expect([await stand.sent(), await usdc()]).to.deep.equal([1, unitsOf('USDC', 19)]);
    });

    it('signs no bytes that its rows were given, and nothing more once it sees a hash that it never signed', async () => {
      const id = await stand.insert();
      await stand.pass();
      const payouts = () => harness.ctx.db('payouts').where({ refund_id: id });
      const { hashes, raws } = await payouts().first('hashes', 'raws');
      // The receiver of all that the account has.
      const thief = customer.slice(2);
      const forged = raws.map((raw: string) =>
        raw.replace(/a9059cbb0{24}[0-9a-f]{40}/, `a9059cbb${'0'.repeat(24)}${thief}`),
      );
      expect(forged).to.not.deep.equal(raws);
      await payouts().update({ raws: forged });
      harness.advance(121);
      await stand.pass();
      expect((await payouts().first('hashes')).hashes).to.deep.equal(hashes);
      await payouts().update({ hashes: [`0x${'ab'.repeat(32)}`] });
      await stand.pass();
      expect(await stand.heldBecause()).to.equal(`the row of ${id} was changed`);
      await stand.settle();
      expect(await usdc()).to.equal(0n);
    });

    it('takes no second intent for a refund, changes none and reads none', async () => {
      const id = await stand.insert();
      const failure = (work: Promise<unknown>) =>
        work.then(
          () => 'done',
          (error: { code?: string }) => error.code,
        );
      expect(await failure(stand.insert({ refund_id: id }))).to.equal('23505');
      const intents = () => stand.worker('payout_intents');
      for (const work of [
        intents().update({ address: customer }),
        intents().delete(),
        intents().select('*'),
        stand.worker('payouts').select('*'),
        stand.worker('payout_accounts').update({ next_nonce: 7 }),
      ])
        expect(await failure(Promise.resolve(work))).to.equal('42501');
    });

    it('signs nothing of a column whose type was changed', async () => {
      const id = await stand.insert();
      await harness.ctx.db.raw(
        'ALTER TABLE payout_intents ALTER COLUMN amount TYPE jsonb USING jsonb_build_array(amount)',
      );
      await stand.pass();
      expect(await stand.stateOf(id)).to.equal('held: a column has another type');
    });

    it('signs nothing whose fields are no payout that the configuration knows', async () => {
      stand.settings = { deny: [customer], merchants: ['mer_A'] };
      const merchant_id = 'mer_A';
      const wrong = [
        { address: customer },
        { address: stand.key.address },
        { address: `0x${'0'.repeat(40)}` },
        { address: 'nobody' },
        { amount: '0' },
        { amount: '-5' },
        { amount: '5e3' },
        { amount: '0.0000001' },
        { coin: 'DAI' },
        { coin: 'constructor' },
        { merchant_id: 'mer_B' },
        { refund_id: `ref_${'A'.repeat(100)}` },
      ];
      const ids: string[] = [];
      for (const one of wrong) ids.push(await stand.insert({ merchant_id, ...one }));
      await stand.pass();
      for (const [i, id] of ids.entries())
        expect(await stand.stateOf(id), JSON.stringify(wrong[i])).to.match(/^held: /);
      stand.settings = { allow: [customer] };
      const [listed, other] = [await stand.insert({ address: customer }), await stand.insert()];
      await stand.pass();
      expect([await stand.stateOf(listed), await stand.stateOf(other)]).to.deep.equal([
        'signed',
        'held: the address is not on the allow list',
      ]);
      expect((await stand.signer()).journal.nextNonce('ethereum')).to.equal(1);
    });
  });

  describe('with an approval', () => {
    it('waits for one from an amount on, and signs what was approved', async () => {
      const id = await stand.insert({ amount: '600', address: customer });
      await stand.pass();
      expect(await stand.stateOf(id)).to.equal('waiting: it needs an approval: it is worth 600 USD');
      await approve(id);
      await stand.pass();
      expect(await stand.stateOf(id)).to.equal('signed');
    });

    it('does not sign what was changed after it, however small', async () => {
      for (const change of [
        { address: newAddress() },
        { amount: '7' },
        { coin: 'ETH', amount: '0.01' },
        { merchant_id: 'mer_Y' },
      ]) {
        const id = await stand.insert({ amount: '6' });
        await approve(id);
        await harness.ctx.db('payout_intents').where({ refund_id: id }).update(change);
        await stand.pass();
        expect(await stand.stateOf(id)).to.equal('held: it is not what was approved');
      }
    });

    it('takes none that was given for a test network', async () => {
      const id = await stand.insert({ amount: '600' });
      await approve(id, 'Ann', 11_155_111);
      await stand.pass();
      expect(await stand.stateOf(id)).to.equal('held: it is not what was approved');
    });

    it('takes none of somebody whom the configuration does not name', async () => {
      const id = await stand.insert({ amount: '600' });
      await approve(id, 'Bob');
      await stand.pass();
      expect(await stand.stateOf(id)).to.match(/^held: it was approved by somebody/);
    });
  });

  it('signs nothing that an operator holds, and what they release', async () => {
    const id = await stand.insert();
    await holdPayout(harness.ctx.db, { id, by: 'Ann', now: harness.ctx.now() });
    await stand.pass();
    expect(await stand.stateOf(id)).to.equal('new');
    await releasePayout(harness.ctx.db, id);
    await stand.pass();
    expect(await stand.stateOf(id)).to.equal('signed');
    expect(await releasePayout(harness.ctx.db, id), 'what was signed').to.equal(false);
  });

  it('signs nothing that is held, or changed, while it signs', async () => {
    const id = await stand.insert();
    let meanwhile = async () => {
      expect(await holdPayout(harness.ctx.db, { id, by: 'Ann', now: harness.ctx.now() })).to.deep.equal({
        is_signed: false,
      });
    };
    const slow = {
      ...stand.key,
      sign: async (digest: Uint8Array) => (await meanwhile(), stand.key.sign(digest)),
    };
    Object.assign(await stand.signer(), { key: slow });
    await stand.pass();
    expect([await stand.stateOf(id), (await stand.signer()).journal.nextNonce('ethereum')]).to.deep.equal([
      'new',
      0,
    ]);
    meanwhile = async () => void (await harness.ctx.db('payout_intents').update({ amount: '6' }));
    await releasePayout(harness.ctx.db, id);
    await stand.pass();
    expect(await stand.stateOf(id)).to.equal('new');
    meanwhile = () => Promise.resolve();
    await stand.pass();
    await stand.settle();
    expect([await stand.stateOf(id), await stand.sent()]).to.deep.equal(['signed', 1]);
  });

  it('signs and sends nothing while there is a halt file', async () => {
    await writeFile(stand.haltFile, '');
    const id = await stand.insert();
    await stand.pass();
    expect(await stand.stateOf(id)).to.equal('new');
    await unlink(stand.haltFile);
    await stand.pass();
    expect(await stand.stateOf(id)).to.equal('signed');
  });

  it('waits for money, and does not spend twice what is on its way', async () => {
    await standOf().setBalance('USDC', stand.key.address, unitsOf('USDC', 8));
    const [one, two] = [await stand.insert(), await stand.insert()];
    await stand.pass();
    expect([await stand.stateOf(one), await stand.stateOf(two)]).to.deep.equal([
      'signed',
      'waiting: the account holds too little USDC',
    ]);
    await standOf().setBalance('USDC', stand.key.address, unitsOf('USDC', 80));
    await stand.pass();
    expect(await stand.stateOf(two)).to.equal('signed');
  });

  it('waits where gas costs more than it may', async () => {
    const { networks } = stand.configuration as { networks: { ethereum: object } };
    stand.settings = { networks: { ethereum: { ...networks.ethereum, maxFeePerGasGwei: '0.000000001' } } };
    const id = await stand.insert();
    await stand.pass();
    expect(await stand.stateOf(id)).to.equal('waiting: gas costs more than maxFeePerGasGwei');
  });

  it('signs a payout that waits again for an eighth more, and one of the two is mined', async () => {
    const id = await stand.insert({ address: customer });
    await stand.pass();
    await stand.pass();
    expect((await stand.row(id)).hashes).to.have.length(1);
    harness.advance(121);
    await stand.pass();
    const { raws } = await stand.row(id);
    const [before, now, ...more] = raws.map((raw) => readSigned(Buffer.from(raw, 'hex')));
    if (before === undefined || now === undefined || more.length > 0)
      throw new Error('it was not signed twice');
    expect([now.nonce, now.to, now.input]).to.deep.equal([before.nonce, before.to, before.input]);
    expect(now.maxFeePerGas * 1_000n >= before.maxFeePerGas * 1_125n).to.equal(true);
    expect(now.maxPriorityFeePerGas * 1_000n >= before.maxPriorityFeePerGas * 1_125n).to.equal(true);
    await stand.settle();
    await stand.pass();
    expect([await stand.stateOf(id), await stand.sent(), await usdc()]).to.deep.equal([
      'paid',
      1,
      unitsOf('USDC', 5),
    ]);
  });

  it('signs it for the price of the market, where that has risen by more than an eighth', async () => {
    const id = await stand.insert({ address: customer });
    await stand.pass();
    const baseFee = 10n ** 10n;
    await standOf().rpc('anvil_setNextBlockBaseFeePerGas', wordOf(baseFee));
    await standOf().mine();
    harness.advance(121);
    await stand.pass();
    const [, now = ''] = (await stand.row(id)).raws;
    expect(readSigned(Buffer.from(now, 'hex')).maxFeePerGas >= 2n * baseFee).to.equal(true);
    await stand.settle();
    await stand.pass();
    expect([await stand.stateOf(id), await stand.sent()]).to.deep.equal(['paid', 1]);
  });

  describe('beside a node', () => {
    let proxy: LyingProxy;
    beforeEach(async () => {
      proxy = await startLyingProxy(standOf().anvil);
      stand.urls = [proxy.url];
    });
    afterEach(() => proxy.close());
    const fails = (code: number, message: string) => {
      throw Object.assign(new Error(message), { code });
    };

    it('that says "already known" or "nonce too low" goes on, and finds what is mined', async () => {
      const id = await stand.insert({ address: customer });
      proxy.lie = ({ method }, truth) =>
        method === 'eth_sendRawTransaction' ? fails(-32_000, 'already known') : truth;
      await stand.pass();
      expect(await stand.stateOf(id)).to.equal('signed');
      await stand.restart();
      proxy.lie = ({ method }, truth) =>
        method === 'eth_sendRawTransaction' ? fails(-32_003, 'nonce too low') : truth;
      await stand.pass();
      await stand.settle();
      await stand.pass();
      expect([await stand.stateOf(id), await stand.sent(), await usdc()]).to.deep.equal([
        'paid',
        1,
        unitsOf('USDC', 5),
      ]);
    });

    it('that says nothing keeps what was signed, and sends the same bytes later', async () => {
      const id = await stand.insert({ address: customer });
      const nothing = new RawAnswerInstead({ status: 502 });
      proxy.before = ({ method }) => {
        if (method === 'eth_sendRawTransaction') fails(-32_000, 'lost');
      };
      await stand.pass();
      proxy.lie = () => nothing;
      await stand.pass().catch(() => undefined);
      proxy.lie = null;
      proxy.before = null;
      harness.advance(31);
      await stand.pass();
      await stand.settle();
      await stand.pass();
      expect([await stand.stateOf(id), (await stand.row(id)).hashes.length, await usdc()]).to.deep.equal([
        'paid',
        1,
        unitsOf('USDC', 5),
      ]);
    });

    it('that lies about inclusion completes no refund, and a number it calls used holds the account', async () => {
      const merchant = await stand.real.addMerchant();
      const refund = await stand.offered(merchant, customer);
      await stand.pass();
      const { key } = stand;
      proxy.lie = ({ method, params }, truth) => {
        if (method === 'eth_getTransactionCount' && params[0] === key.address) return '0x1';
        return method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash' ? null : truth;
      };
      await stand.pass();
      expect(await stand.stateOf(refund.id)).to.equal('held: number 0 was used by none of its transactions');
      expect(await stand.heldBecause()).to.equal('number 0 was used by none of its transactions');
      const other = await stand.insert();
      await stand.pass();
      expect(await stand.stateOf(other)).to.equal('new');
      // An honest node finds it, whoever had lied.
      proxy.lie = null;
      expect(await releasePayout(harness.ctx.db, refund.id)).to.equal(false);
      await releaseAccount(harness.ctx.db, 'ethereum');
      await stand.settle();
      await stand.pass();
      expect(await stand.stateOf(refund.id)).to.equal('paid');
      expect(await stand.refunds.stateOf(merchant, refund)).to.equal('COMPLETED');
      await stand.settle();
      expect([await stand.stateOf(other), await usdc()]).to.deep.equal(['signed', unitsOf('USDC', 5)]);
    });

    it('that says a receipt is final which is not completes nothing', async () => {
      const merchant = await stand.real.addMerchant();
      const refund = await stand.offered(merchant, customer);
      await stand.pass();
      const final = await standOf().rpc<{ number: string; hash: string }>(
        'eth_getBlockByNumber',
        'finalized',
        false,
      );
      proxy.lie = ({ method, params }, truth) => {
        if (method !== 'eth_getTransactionReceipt') return truth;
        const place = {
          blockNumber: final.number,
          blockHash: final.hash,
          gasUsed: '0x1',
          effectiveGasPrice: '0x1',
        };
        return { transactionHash: params[0], status: '0x1', ...place };
      };
      await stand.pass();
      expect(await stand.heldBecause()).to.match(
        /^a provider contradicts itself: it says that 0x\w+ is final/,
      );
      expect(await stand.refunds.stateOf(merchant, refund)).to.equal('AWAITING_SIGNATURE');
      expect(await stand.stateOf(refund.id)).to.equal('signed');
    });

    it('where somebody else uses the key holds the account', async () => {
      const raw = { from: stand.key.address, to: newAddress(), value: '0x1', gas: '0x5208' };
      await standOf().rpc('anvil_impersonateAccount', stand.key.address);
      await standOf().rpc('eth_sendTransaction', {
        ...raw,
        maxFeePerGas: '0x2540be400',
        maxPriorityFeePerGas: '0x1',
      });
      await stand.settle();
      const id = await stand.insert({ address: customer });
      await stand.pass();
      expect(await stand.heldBecause()).to.match(/somebody else has the key/);
      expect(await stand.stateOf(id)).to.equal('new');
      await stand.register(1);
      await stand.pass();
      await stand.settle();
      await stand.pass();
      expect([await stand.stateOf(id), await usdc()]).to.deep.equal(['paid', unitsOf('USDC', 5)]);
    });

    it('whose transfer fails is held, and nothing is signed again', async () => {
      const id = await stand.insert({ address: customer });
      await stand.pass();
      await standOf().setBalance('USDC', stand.key.address, 0n);
      await stand.settle();
      await stand.pass();
      const failed = 'held: its transaction failed, and moved nothing but gas';
      expect(await stand.stateOf(id)).to.equal(failed);
      expect(await releasePayout(harness.ctx.db, id)).to.equal(true);
      await stand.pass();
      expect([await stand.stateOf(id), await stand.sent()], 'it is looked at').to.deep.equal([failed, 1]);
    });
  });

  describe('with its journal', () => {
    const path = () => join(stand.folder, 'journal');

    it('signs nothing where the database knows another number', async () => {
      await harness.ctx.db('payout_accounts').update({ next_nonce: 9 });
      const id = await stand.insert();
      await stand.pass();
      expect(await stand.stateOf(id)).to.equal('new');
      expect(await stand.heldBecause()).to.equal(
        'the next number is 9 in the database, and 0 in the journal',
      );
    });

    it('forgets a last line that is cut off, and refuses to begin with one that is damaged', async () => {
      await stand.insert({ address: customer });
      await stand.pass();
      await stand.restart();
      await appendFile(path(), '{"kind":"signed","at":"20');
      await stand.pass();
      expect((await stand.signer()).journal.nextNonce('ethereum')).to.equal(1);
      await stand.restart();
      const text = await readFile(path(), 'utf8');
      await writeFile(path(), text.replace('"refund"', '"refond"'));
      const failed = await stand.signer().catch((error: Error) => error.message);
      expect(failed).to.match(/^Line 2 of the journal is damaged/);
      await writeFile(path(), text);
    });

    it('that was lost begins with what the database knows, which counts and is not signed again', async () => {
      stand.settings = { usd: { perIntent: '20', perHour: '25', perDay: '25' } };
      const id = await stand.insert({ amount: '19', address: customer });
      await stand.pass();
      await stand.restart();
      await rm(path());
      expect(await stand.register(0).catch((error: Error) => error.message)).to.match(
        /Number 0 .* was signed/,
      );
      expect(await stand.register(1)).to.equal(0);
      await harness.ctx
        .db('payouts')
        .where({ refund_id: id })
        .update({ state: 'waiting', hashes: '{}', raws: '{}' });
      const other = await stand.insert({ amount: '6' });
      await stand.pass();
      expect(await stand.stateOf(id), 'as the journal has it').to.equal('signed');
      expect(await stand.stateOf(other)).to.match(/^held: .*perHour/);
      await stand.settle();
      expect([await stand.sent(), await usdc()]).to.deep.equal([1, unitsOf('USDC', 19)]);
    });

    it('compares all of it with the database by one statement at a start', async () => {
      for (let n = 0; n < 3; n += 1) await stand.insert();
      await stand.pass();
      await stand.restart();
      const signer = await stand.signer();
      const { db, counts } = countStatements(signer.db);
      await storeJournal({ ...signer, db });
      expect([counts.statements, signer.journal.unstored()]).to.deep.equal([1, []]);
    });

    it('is of one key, and empty files begin one', async () => {
      await stand.restart();
      const text = await readFile(path(), 'utf8');
      await writeFile(path(), text.replaceAll(stand.key.address, newAddress()));
      expect(await stand.signer().catch((error: Error) => error.message)).to.match(
        /^The journal is that of 0x/,
      );
      await truncate(path());
      expect((await stand.signer()).journal.nextNonce('ethereum')).to.equal(null);
    });
  });
});
