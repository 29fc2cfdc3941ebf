import { expect } from 'chai';
import { readTransaction } from '../../../../src/domain/chain/evm/proofs/transactions.ts';
import { Coins } from '../../../../src/domain/chain/evm/transfers.ts';

const [PAYER, OWNER, RECEIVER] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
];
const USDC_ON_POLYGON = '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359';
const word = (value: string) => value.slice(2).padStart(64, '0');

describe('the coins of an EVM network', () => {
  it('are its native one and the tokens of the table, on each network, or those of a test network', () => {
    expect(new Coins('ethereum').native).to.equal('ETH');
    expect([...new Coins('ethereum').tokens.values()]).to.have.members(['USDT', 'USDC', 'POL', 'DAI']);
    expect(new Coins('polygon').native).to.equal('POL');
    expect(new Coins('polygon').tokens.get(USDC_ON_POLYGON)).to.equal('USDC');
    const testnet = new Coins('polygon', (coin) =>
      coin === 'USDC' ? '0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD' : undefined,
    );
    expect(testnet.tokens.get('0xabcdefabcdefabcdefabcdefabcdefabcdefabcd')).to.equal('USDC');
    expect([testnet.tokens.size, testnet.native]).to.deep.equal([1, null]);
  });

  it('say what a transaction would move: coins, a transfer, or one from somebody else', () => {
    const coins = new Coins('polygon');
    const intended = (to: string | null, value: string, input: string) =>
      coins.intended(
        readTransaction({ hash: `0x${'9'.repeat(64)}`, from: PAYER, nonce: '0x0', to, value, input }),
      );
    expect(intended(RECEIVER, '0x5', '0x')).to.deep.equal({
      coin: 'POL',
      from: PAYER,
      to: RECEIVER,
      value: 5n,
    });
    const transfer = `0xa9059cbb${word(RECEIVER)}${word('0x7')}`;
    expect(intended(USDC_ON_POLYGON, '0x0', transfer)).to.deep.equal({
      coin: 'USDC',
      from: PAYER,
      to: RECEIVER,
      value: 7n,
    });
    const transferFrom = `0x23b872dd${word(OWNER)}${word(RECEIVER)}${word('0x7')}`;
    expect(intended(USDC_ON_POLYGON, '0x0', transferFrom)).to.deep.include({
      from: OWNER,
      to: RECEIVER,
      value: 7n,
    });
    for (const [to, value, input] of [
      [null, '0x5', '0x'],
      [RECEIVER, '0x0', '0x'],
      [USDC_ON_POLYGON, '0x5', '0x'],
      [USDC_ON_POLYGON, '0x0', `0xa9059cbb${word(RECEIVER)}${word('0x0')}`],
      [USDC_ON_POLYGON, '0x0', transfer.slice(0, -2)],
    ] as const)
      expect(intended(to, value, input), `${to} ${value} ${input}`).to.equal(null);
  });

  it('write units as decimals, exactly', () => {
    const coins = new Coins('ethereum');
    expect(coins.amountOf('USDC', 1n)).to.equal('0.000001');
    expect(coins.amountOf('ETH', 2n ** 100n)).to.equal('1267650600228.229401496703205376');
    expect(coins.amountOf('DAI', 10n ** 18n)).to.equal('1');
    expect(coins.amountOf('ETH', 0n)).to.equal('0');
  });
});
