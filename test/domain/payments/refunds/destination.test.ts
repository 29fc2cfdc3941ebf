import { expect } from 'chai';
import type { Payment } from '../../../../src/domain/payments/lifecycle/payment.ts';
import { destinationOf, type AskedDestination } from '../../../../src/domain/payments/refunds/destination.ts';
import { setRefundAddress } from '../../../../src/domain/payments/refunds/refund-address.ts';
import { readRefunds } from '../../../../src/domain/payments/refunds/store.ts';
import type { PaymentTransfer } from '../../../../src/domain/payments/transfers/payment-transfer.ts';
import { readTransfers } from '../../../../src/domain/payments/transfers/store.ts';
import { ApiError } from '../../../../src/domain/api/errors.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Shop } from '../../../support/shop.ts';
import type { Harness } from '../../../support/harness.ts';

const ASKED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const GIVEN = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const SENDER = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const ANOTHER = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb';
const USDC = { coin: 'USDC', network: 'ethereum' } as const;

describe('where a refund goes', () => {
  let harness: Harness;
  let shop: Shop;
  let payment: Payment;
  let transfer: PaymentTransfer;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    const id = await shop.create();
    await shop.send(id, { ...USDC, amount: '4', sender: SENDER });
    await harness.work();
    payment = await shop.payment(id);
    const [stored] = await readTransfers(harness.ctx.db, [id]);
    if (stored === undefined) throw new Error('no transfer was seen');
    transfer = stored;
  });

  const destination = (asked: AskedDestination = {}, others: readonly Partial<PaymentTransfer>[] = []) =>
    harness.ctx.db.transaction((tx) =>
      destinationOf(tx, payment, USDC, [transfer, ...others.map((one) => ({ ...transfer, ...one }))], asked),
    );
  const goLive = () => harness.ctx.db.raw(`UPDATE merchants SET mode = 'live'`);
  const give = (network: 'ethereum' | 'polygon') =>
    harness.ctx.db('refund_addresses').insert({ payment_id: payment.id, network, address: GIVEN });

  it('is the address of the request, before any other', async () => {
    await give('ethereum');
    expect(await destination({ address: ASKED })).to.equal(ASKED);
  });

  it('is else the address that the customer gave for the network, before the sender', async () => {
    await give('ethereum');
    expect(await destination()).to.equal(GIVEN);
  });

  /** What a request is refused with; fails when it is accepted. */
  const refusal = async (asked: AskedDestination): Promise<ApiError> => {
    const error: unknown = await destination(asked).catch((thrown: unknown) => thrown);
    if (!(error instanceof ApiError)) throw new Error(`accepted: ${String(error)}`);
    return error;
  };

  it('is never another than the sender when the merchant asks for the sender: a 409 names the other', async () => {
    expect(await destination({ toSender: true, address: SENDER.toLowerCase() })).to.equal(
      SENDER.toLowerCase(),
    );
    for (const [asked, other] of [
      [{ toSender: true, address: ASKED }, ASKED],
      [{ toSender: true }, GIVEN],
    ] as const) {
      if (other === GIVEN) await give('ethereum');
      const { status, message } = await refusal(asked);
      expect(status).to.equal(409);
      expect(message).to.include(other);
    }
    transfer = { ...transfer, sender: null };
    expect((await refusal({ toSender: true })).message, 'no sender is known').to.include(GIVEN);
    transfer = { ...transfer, sender: GIVEN };
    expect(await destination({ toSender: true }), 'they agree').to.equal(GIVEN);
  });

  it('is not the sender where an address differs from it in the case of a letter that counts', async () => {
    const sender = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV';
    const other = sender.replace('E', 'e');
    const [solana, toSender] = [{ coin: 'USDC', network: 'solana' } as const, true];
    const to = (address: string) =>
      harness.ctx.db.transaction((tx) =>
        destinationOf(tx, payment, solana, [{ ...transfer, ...solana, sender }], { toSender, address }),
      );
    expect(await to(sender)).to.equal(sender);
    const refused: unknown = await to(other).catch((thrown: unknown) => thrown);
    expect(refused).to.be.instanceOf(ApiError);
  });

  it('is not the address that the customer gave for another network', async () => {
    await give('polygon');
    expect(await destination()).to.equal(SENDER);
  });

  it('is else the sender, for a test payment', async () => {
    expect(await destination()).to.equal(SENDER);
    expect(await destination({}, [{ tx_hash: 'second' }])).to.equal(SENDER);
  });

  it('is the sender of a live payment only when the merchant says so', async () => {
    await goLive();
    expect(await destination()).to.equal(null);
    expect(await destination({ toSender: false })).to.equal(null);
    expect(await destination({ toSender: true })).to.equal(SENDER);
    await give('ethereum');
    expect(await destination()).to.equal(GIVEN);
  });

  for (const [what, other] of [
    ['two addresses', { sender: ANOTHER }],
    ['an address and one that the chain does not name', { sender: null }],
    ['another coin', { coin: 'USDT' }],
    ['another network', { network: 'polygon' }],
  ] as const)
    it(`is unknown when the money came from ${what}, whatever the merchant says`, async () => {
      expect(await destination({}, [other])).to.equal(null);
      expect(await destination({ toSender: true }, [other])).to.equal(null);
    });

  it('is the sender again when the other money was dropped', async () => {
    const dropped = { sender: ANOTHER, dropped_at: harness.ctx.now() };
    expect(await destination({}, [dropped])).to.equal(SENDER);
  });

  it('is unknown when the chain names no sender', async () => {
    transfer = { ...transfer, sender: null };
    expect(await destination({ toSender: true })).to.equal(null);
  });

  it('is asked of the customer, whose answer sends the refunds that wait on its network, and no others', async () => {
    const { id } = payment;
    await shop.pay(id, { coin: 'USDC', network: 'polygon', amount: '5' });
    await harness.work();
    await shop.mine(12);
    await shop.mine(64, 'polygon');
    harness.advance(3_600);
    await harness.work();
    await shop.refund(id);
    await harness.work();
    const waiting = async () =>
      (await readRefunds(harness.ctx.db, id)).map(({ network, status, address }) => [
        network,
        status,
        address,
      ]);
    expect(await waiting()).to.have.deep.members([
      ['polygon', 'NEEDS_ADDRESS', null],
      ['ethereum', 'NEEDS_ADDRESS', null],
    ]);
    const answer = (address: string) =>
      harness.ctx.db.transaction(async (tx) =>
        setRefundAddress(tx, await shop.payment(id), { network: 'ethereum', address }, harness.ctx.now()),
      );
    expect(await answer(GIVEN)).to.equal(true);
    await harness.work();
    expect(await waiting()).to.have.deep.members([
      ['polygon', 'NEEDS_ADDRESS', null],
      ['ethereum', 'COMPLETED', GIVEN],
    ]);
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '4' });
    expect(await answer(ANOTHER), 'once per network').to.equal(false);
    expect(await waiting()).to.deep.include(['ethereum', 'COMPLETED', GIVEN]);
  });
});
