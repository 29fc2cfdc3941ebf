import { realChains } from '../../../../src/domain/chain/profile.ts';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { expect } from 'chai';
import {
  create2Address,
  initCodeOf,
  openForwarder,
  parseTreasury,
  treasuryOf,
} from '../../../../src/domain/chain/wallets/forwarder.ts';
import { FORWARDER } from '../../../../src/domain/chain/wallets/forwarder-code.ts';

const MAINNET = realChains({ chainProfile: 'mainnet', testnetTokens: {} });

const TREASURY = '0x52908400098527886E0F7030069857D2E4169EE7';
const MIXED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

/** The examples of EIP-1014: deployer, salt, code and address. */
const EIP_1014 = [
  ['00', '00', '00', '0x4D1A2e2bB4F88F0250f26Ffff098B0b30B26BF38'],
  ['deadbeef00000000000000000000000000000000', '00', '00', '0xB928f69Bb1D91Cd65274e3c79d8986362984fDA3'],
  [
    'deadbeef00000000000000000000000000000000',
    'feed000000000000000000000000000000000000',
    '00',
    '0xD04116cDd17beBE565EB2422F2497E06cC1C9833',
  ],
  ['00', '00', 'deadbeef', '0x70f2b2914A2a4b783FaEFb75f459A580616Fcb5e'],
  ['deadbeef', 'cafebabe', 'deadbeef', '0x60f3f640a8508fC6a86d45DF051962668E1e8AC7'],
  ['deadbeef', 'cafebabe', 'deadbeef'.repeat(11), '0x1d8bfDC5D46DC4f61D6b6115972536eBE6A8854C'],
  ['00', '00', '', '0xE33C0C7F7df4809055C3ebA6c09CFe4BaF1BD9e0'],
] as const;

describe('a forwarder', () => {
  it('has the address that EIP-1014 gives', () => {
    for (const [deployer, salt, code, address] of EIP_1014)
      expect(
        create2Address(
          `0x${deployer.padStart(40, '0')}`,
          hexToBytes(salt.padStart(64, '0')),
          keccak_256(hexToBytes(code)),
        ),
      ).to.equal(address.toLowerCase());
  });

  it('has one address for each wallet and index, on all networks', () => {
    const data = parseTreasury(MIXED, MAINNET);
    const [one, same, other] = ['wal_1', 'wal_1', 'wal_2'].map((id) => openForwarder(data, id));
    const elsewhere = openForwarder(parseTreasury(TREASURY, MAINNET), 'wal_1');
    const addresses = [one, other, elsewhere].flatMap((wallet) => [
      wallet?.addressAt(0),
      wallet?.addressAt(1),
    ]);
    expect(new Set(addresses).size).to.equal(6);
    expect(same?.addressAt(1)).to.equal(one?.addressAt(1));
    expect(one?.pathAt(1)).to.match(/^0x[0-9a-f]{64}$/);
    expect(addresses.every((address) => /^0x[0-9a-f]{40}$/.test(address ?? ''))).to.equal(true);
  });

  it('is deployed with its treasury and the tokens of all networks', () => {
    const data = parseTreasury(MIXED, MAINNET);
    expect(treasuryOf(data)).to.equal(MIXED);
    const code = Buffer.from(initCodeOf(data)).toString('hex');
    expect(code.startsWith(FORWARDER.bytecode)).to.equal(true);
    const words = code.slice(FORWARDER.bytecode.length).match(/.{64}/g) ?? [];
    expect(words[0]).to.equal(MIXED.slice(2).toLowerCase().padStart(64, '0'));
    expect(words[1]).to.equal('40'.padStart(64, '0'));
    expect(Number(`0x${words[2]}`)).to.equal(words.length - 3);
    expect(words).to.include(USDC.slice(2).toLowerCase().padStart(64, '0'));
    expect(words.slice(3)).to.deep.equal([...new Set(words.slice(3))].sort());
  });

  it('takes no treasury without a checksum, with a wrong one, or that would keep the money', () => {
    for (const [value, reason] of [
      [MIXED.toLowerCase(), 'has no checksum'],
      [`0x${MIXED.slice(2).toUpperCase()}`, 'has no checksum'],
      [MIXED.replace('A', 'a'), 'checksum is wrong'],
      [MIXED.slice(0, -1), 'is no address'],
      [`${MIXED}0`, 'is no address'],
      [MIXED.slice(2), 'is no address'],
      ['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'is no address'],
      [USDC, 'a contract that would keep the money'],
      ['0x4e59b44847b379578588920cA78FbF26c0B4956C', 'a contract that would keep the money'],
      [`0x${'0'.repeat(40)}`, 'is no address'],
      [`0x${'1'.padStart(40, '0')}`, 'a contract that would keep the money'],
      ['', 'is no address'],
    ] as const) {
      expect(() => parseTreasury(value, MAINNET), value).to.throw(RangeError, reason);
      if (value.length > 20) expect(() => parseTreasury(value, MAINNET)).to.not.throw(value.slice(10, 20));
    }
  });
});
