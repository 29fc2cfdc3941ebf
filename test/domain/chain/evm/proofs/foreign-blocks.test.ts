import { expect } from 'chai';
import { bloomBits, readHeader } from '../../../../../src/domain/chain/evm/proofs/header.ts';
import { readReceipts } from '../../../../../src/domain/chain/evm/proofs/receipts.ts';
import { Refused } from '../../../../../src/domain/chain/rpc/refused.ts';
import {
  isKnownType,
  isSigned,
  proveSender,
  proveTransactions,
  readTransaction,
} from '../../../../../src/domain/chain/evm/proofs/transactions.ts';
import {
  ARBITRUM_HEADER,
  BASE_HEADER,
  BNB_BLOCK,
  DEPOSIT_RECEIPTS,
  UNSIGNED,
} from '../../../../support/foreign-blocks.ts';

const NOBODY = `0x${'1'.repeat(40)}`;

describe('blocks of other chains', () => {
  for (const [name, header] of Object.entries({
    Base: BASE_HEADER,
    Arbitrum: ARBITRUM_HEADER,
    BNB: BNB_BLOCK,
  }))
    it(`have headers that hash to what they claim, also with fields that only ${name} has`, () => {
      expect(readHeader(header)).to.include({ height: Number(header.number), hash: header.hash });
      expect(() => readHeader({ ...header, receiptsRoot: header.stateRoot })).to.throw(Refused);
    });

  it('have transactions that prove the root of their header, each with its sender', () => {
    const transactions = BNB_BLOCK.transactions.map(readTransaction);
    proveTransactions(transactions, readHeader(BNB_BLOCK), new Map());
    for (const transaction of transactions) proveSender(transaction);
  });

  for (const [name, sent] of Object.entries(UNSIGNED))
    it(`have ${name}, whose hash covers its fields: another value makes it unknown`, () => {
      expect(isKnownType(readTransaction(sent))).to.equal(true);
      expect(isSigned(readTransaction(sent))).to.equal(false);
      for (const lie of [{ value: '0x1' }, { input: '0x' }, { sourceHash: 'none', chainId: '0x1' }])
        expect(isKnownType(readTransaction({ ...sent, ...lie })), JSON.stringify(lie)).to.equal(false);
      if (sent.type === '0x7e')
        for (const lie of [{ to: NOBODY }, { from: NOBODY }, { isSystemTx: true }, { mint: '0x2' }])
          expect(isKnownType(readTransaction({ ...sent, ...lie })), JSON.stringify(lie)).to.equal(false);
    });

  it('have receipts of deposits, whose two more fields the root covers where both are there', () => {
    const { root, depositNonce, receipts } = DEPOSIT_RECEIPTS;
    const sent = receipts.map(({ type, cumulativeGasUsed, logs }) => ({
      type,
      status: '0x1',
      cumulativeGasUsed,
      logsBloom: bloomOf(logs.flatMap(([address, topics]) => [address, ...topics])),
      logs: logs.map(([address, topics, data]) => ({
        address: `0x${address}`,
        topics: topics.map((topic) => `0x${topic}`),
        data: `0x${data}`,
      })),
      ...(type === '0x7e' && { depositNonce }),
    }));
    const header = { height: 1, receiptsRoot: root };
    expect(readReceipts(sent, header).map(({ logs }) => logs.length)).to.deep.equal(
      receipts.map(({ logs }) => logs.length),
    );
    const others = sent.map((one) => ({
      ...one,
      ...(one.type === '0x7e' && { depositReceiptVersion: '0x1' }),
    }));
    expect(() => readReceipts(others, header)).to.throw(Refused, 'have not the root');
  });
});

/** The bloom of addresses and topics. */
function bloomOf(values: readonly string[]): string {
  const bloom = Buffer.alloc(256);
  for (const value of values)
    for (const bit of bloomBits(`0x${value}`)) {
      const at = 255 - (bit >> 3);
      bloom.writeUInt8(bloom.readUInt8(at) | (1 << (bit & 7)), at);
    }
  return `0x${bloom.toString('hex')}`;
}
