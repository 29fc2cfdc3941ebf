import { createHash } from 'node:crypto';
import { bech32m } from '@scure/base';
import { expect } from 'chai';
import { depositAddress, isAddress, witnessAddress } from '../../../src/domain/chain/addresses.ts';
import { simulatedPayouts } from '../../../src/domain/chain/simulator/simulated.ts';
import { NETWORKS, NETWORK_IDS, type NetworkId } from '../../../src/domain/chain/networks.ts';
import type { Payouts } from '../../../src/domain/chain/port.ts';
import { transactionHash } from '../../../src/domain/chain/transaction-hashes.ts';

const BOTH = ['main', 'test'] as const;
const REFERENCES = Array.from({ length: 200 }, (_, i) => `pay_${i}`);

describe('a deposit address', () => {
  it('is no address that a wallet of the main network accepts, where such a form exists', () => {
    for (const reference of REFERENCES) {
      for (const network of ['bitcoin', 'tron'] as const)
        expect(isAddress(network, depositAddress('seed', network, reference))).to.equal(false);
      expect(depositAddress('seed', 'bitcoin', reference)).to.match(/^tb1q/);
      expect(depositAddress('seed', 'tron', reference)).to.match(/^27/);
    }
  });

  it("has its test network's format and a checksum that another decoder accepts", () => {
    for (const reference of REFERENCES)
      for (const network of NETWORK_IDS)
        expect(payloadLength(network, depositAddress('seed', network, reference)), network).to.equal(
          network === 'solana' ? 32 : 20,
        );
  });

  it('is rejected when mistyped on networks with a checksum', () => {
    for (const network of ['bitcoin', 'tron'] as const)
      for (const reference of REFERENCES.slice(0, 20)) {
        const address = depositAddress('seed', network, reference);
        const at = address.length - 8;
        const mistyped = address.slice(0, at) + (address[at] === '2' ? '3' : '2') + address.slice(at + 1);
        expect(() => payloadLength(network, mistyped), mistyped).to.throw('checksum');
      }
  });

  it('is always the same for the same seed, network and reference', () => {
    const addresses = Object.fromEntries(
      NETWORK_IDS.map((network) => [network, depositAddress('seed', network, 'pay_1')]),
    );
    expect(addresses).to.deep.equal(GOLDEN_ADDRESSES);
  });

  it('differs for another seed, network or reference', () => {
    const all = ['seed', 'other seed'].flatMap((seed) =>
      NETWORK_IDS.flatMap((network) =>
        REFERENCES.map((reference) => depositAddress(seed, network, reference)),
      ),
    );
    expect(new Set(all).size).to.equal(2 * NETWORK_IDS.length * REFERENCES.length);
  });
});

describe('an address of a wallet', () => {
  const HEX = ['0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'];
  const TRON = ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'];
  // The vectors of BIP-173, BIP-350 and EIP-55, and well-known addresses.
  const VALID: Record<NetworkId, readonly string[]> = {
    bitcoin: [
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    ],
    ethereum: [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359',
      '0xFB6916095CA1DF60BB79CE92CE3EA74C37C5D359',
    ],
    polygon: HEX,
    base: HEX,
    arbitrum: HEX,
    optimism: HEX,
    bnb: HEX,
    tron: TRON,
    solana: ['4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  };
  const INVALID: Record<NetworkId, readonly string[]> = {
    bitcoin: [
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', // checksum
      'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', // another network's
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4', // both cases
      'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', // a witness version that anyone may spend from
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', // version 1 with the checksum of version 0
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
      '1111111111111111111114oLvT2', // zeros: no known key
    ],
    ethereum: [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
      '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      `0x${'0'.repeat(40)}`,
      'vitalik.eth',
    ],
    polygon: TRON,
    base: TRON,
    arbitrum: TRON,
    optimism: TRON,
    bnb: TRON,
    tron: [
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6s',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      `0x${'41'.repeat(20)}`,
    ],
    solana: ['4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4', '1'.repeat(32), '0OIl', ''],
  };

  // The vector of BIP-173, and addresses of Bitcoin's and Tron's test networks.
  const OF_TEST_NETWORKS: readonly (readonly [NetworkId, string])[] = [
    ['bitcoin', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    ['bitcoin', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
    ['bitcoin', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'],
    ['tron', depositAddress('seed', 'tron', 'pay_1')],
  ];
  for (const [network, address] of OF_TEST_NETWORKS)
    it(`of the test network of ${network} is refused unless it is allowed: ${address}`, () => {
      expect(isAddress(network, address)).to.equal(false);
      expect(isAddress(network, address, BOTH)).to.equal(true);
    });

  it('of Bitcoin is one of the chain that is asked for, and of no other', () => {
    // One key hash on each: the vector of BIP-173, of the main and the test network, and of regtest.
    const segwit = {
      main: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      test: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      regtest: witnessAddress('regtest', Buffer.from('751e76e8199196d454941c45d1b3a323f1433bd6', 'hex')),
    };
    expect(segwit.regtest).to.equal('bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
    const taproot = bech32m.encode('bcrt', [1, ...bech32m.toWords(Buffer.alloc(32, 7))]);
    const legacy = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
    const chains = ['main', 'test', 'regtest'] as const;
    const takenBy = (address: string) => chains.filter((chain) => isAddress('bitcoin', address, [chain]));
    for (const chain of chains) expect(takenBy(segwit[chain])).to.deep.equal([chain]);
    expect(takenBy(taproot)).to.deep.equal(['regtest']);
    expect(takenBy(legacy)).to.deep.equal(['test', 'regtest']);
    expect(takenBy('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')).to.deep.equal(['main']);
  });

  for (const network of NETWORK_IDS) {
    it(`of ${network} is accepted by its form and checksum`, () => {
      for (const address of VALID[network]) expect(isAddress(network, address), address).to.equal(true);
      for (const reference of REFERENCES.slice(0, 20))
        expect(isAddress(network, depositAddress('seed', network, reference), BOTH)).to.equal(true);
      // A valid one stays valid where test forms are allowed.
      for (const address of VALID[network]) expect(isAddress(network, address, BOTH), address).to.equal(true);
    });
    it(`of ${network} is distinguished from other text`, () => {
      // Those of EVM networks are alike.
      const foreign = NETWORK_IDS.filter(
        (other) => NETWORKS[other].addressFormat !== NETWORKS[network].addressFormat,
      ).flatMap((other) => VALID[other]);
      for (const address of [...INVALID[network], ...foreign, ' ', 'x'.repeat(10_000)])
        expect(isAddress(network, address), address).to.equal(false);
    });
  }
});

describe('a transaction hash', () => {
  const content = { address: 'somewhere', coin: 'USDT', amount: '10.50', nonce: '1' } as const;

  it("has its network's format", () => {
    for (const nonce of REFERENCES) {
      for (const network of ['bitcoin', 'tron'] as const)
        expect(transactionHash(network, { ...content, nonce })).to.match(/^[0-9a-f]{64}$/);
      for (const network of ['ethereum', 'polygon'] as const)
        expect(transactionHash(network, { ...content, nonce })).to.match(/^0x[0-9a-f]{64}$/);
      expect(fromBase58(transactionHash('solana', { ...content, nonce }))).to.have.length(64);
    }
  });

  it("of a payout has its network's format, and depends on the reference alone", async () => {
    const payout = { amount: '1', currency: 'USDC', address: 'somewhere' } as const;
    const hashIn = (paid: Awaited<ReturnType<Payouts['request']>>) =>
      paid === 'accepted' ? '' : paid.txHash;
    const hashOf = async (network: NetworkId, reference: string, amount = '1') =>
      hashIn(await simulatedPayouts.request({ ...payout, network, reference, amount }));
    expect(await hashOf('bitcoin', 'ref_1')).to.match(/^[0-9a-f]{64}$/);
    expect(await hashOf('ethereum', 'ref_1')).to.match(/^0x[0-9a-f]{64}$/);
    expect(fromBase58(await hashOf('solana', 'ref_1'))).to.have.length(64);
    expect(await hashOf('tron', 'ref_1', '2')).to.equal(await hashOf('tron', 'ref_1'));
    expect(await hashOf('tron', 'ref_2')).to.not.equal(await hashOf('tron', 'ref_1'));
  });

  it('is always the same for the same content', () => {
    expect(transactionHash('tron', content)).to.equal(GOLDEN_HASH);
    expect(transactionHash('tron', { ...content, amount: '10.5' })).to.equal(GOLDEN_HASH);
  });

  it('differs for any other content', () => {
    const others = [
      transactionHash('bitcoin', content),
      transactionHash('tron', { ...content, address: 'elsewhere' }),
      transactionHash('tron', { ...content, coin: 'TRX' }),
      transactionHash('tron', { ...content, amount: '10.51' }),
      transactionHash('tron', { ...content, nonce: '2' }),
    ];
    expect(new Set([GOLDEN_HASH, ...others]).size).to.equal(6);
  });
});

const GOLDEN_ADDRESSES: Readonly<Record<NetworkId, string>> = {
  bitcoin: 'tb1qhf4z4auszx8wwg4dct0cfw7lxwxf8zm9jx5f3l',
  ethereum: '0x5b2d08d023aafbb0e3ae13b1c120c15153a136a7',
  tron: '27XEDRPUox1LnAApNve3E3KfVF1JzEH8Nrp',
  polygon: '0xfdf58f9ff8df47d88f2b3d2a4eb1506b46ca8174',
  solana: '9FGrvdm4u5pe8uj1RLn1yB7Qw5e9tJNz92ep1t9f67Sn',
  base: '0xb082b73bdbd46650d40883d950f8de5decd5c0d9',
  arbitrum: '0x1029428dd96db001967b840b8045e71e33a47918',
  optimism: '0xf1bc599063016ba28f8cfc50a4f58b042fba46b3',
  bnb: '0x0639185171a3bc0de5de5cc77fdd4522bd07285f',
};

const GOLDEN_HASH = '131aa4780ded6d2fac3e8020cc5a13e73e084251d2253f4a9f2873a2f7a7c912';

// Independent decoders, written from the standards; they share nothing with the encoders.

/** Returns the length of an address's payload; throws when format or checksum is wrong. */
function payloadLength(network: NetworkId, address: string): number {
  if (network === 'bitcoin') return fromSegwit(address).length;
  if (network === 'tron') return fromTron(address).length;
  if (network === 'solana') return fromBase58(address).length;
  expect(address, network).to.match(/^0x[0-9a-f]{40}$/);
  return 20;
}

function fromBase58(text: string): number[] {
  const bytes: number[] = [];
  for (const character of text) {
    let carry = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'.indexOf(character);
    if (carry < 0) throw new Error(`no base 58: ${character}`);
    for (let i = 0; i < bytes.length; i += 1) {
      carry += (bytes[i] ?? 0) * 58;
      bytes[i] = carry % 256;
      carry = Math.floor(carry / 256);
    }
    for (; carry > 0; carry = Math.floor(carry / 256)) bytes.push(carry % 256);
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return [...Array<number>(zeros).fill(0), ...bytes.reverse()];
}

function fromTron(address: string): number[] {
  const bytes = fromBase58(address);
  const [body, checksum] = [Buffer.from(bytes.slice(0, -4)), bytes.slice(-4)];
  const once = createHash('sha256').update(body).digest();
  const twice = createHash('sha256').update(once).digest();
  if (!twice.subarray(0, 4).equals(Buffer.from(checksum))) throw new Error('wrong checksum');
  expect(address).to.match(/^27.{33}$/);
  expect(body[0]).to.equal(0xa0);
  return [...body.subarray(1)];
}

/** The witness program. */
function fromSegwit(address: string): number[] {
  expect(address).to.match(/^tb1[02-9ac-hj-np-z]+$/);
  const values = Array.from(address.slice(3), (character) =>
    'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.indexOf(character),
  );
  const expanded = [3, 3, 0, 't'.charCodeAt(0) % 32, 'b'.charCodeAt(0) % 32, ...values];
  if (remainder(expanded) !== 1) throw new Error('wrong checksum');
  const [version, ...program] = values.slice(0, -6);
  expect(version).to.equal(0);
  const bits = program.map((value) => value.toString(2).padStart(5, '0')).join('');
  expect(bits.slice(bits.length - (bits.length % 8))).to.match(/^0{0,4}$/);
  return (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
}

/**
 * As BIP-173's reference in Python has it: the generator's five rows, applied to the five bits shifted out.
 */
function remainder(values: readonly number[]): number {
  let checksum = 1n;
  for (const value of values) {
    const top = checksum >> 25n;
    checksum = ((checksum & 0x1ffffffn) << 5n) ^ BigInt(value);
    if (top & 1n) checksum ^= 0x3b6a57b2n;
    if (top & 2n) checksum ^= 0x26508e6dn;
    if (top & 4n) checksum ^= 0x1ea119fan;
    if (top & 8n) checksum ^= 0x3d4233ddn;
    if (top & 16n) checksum ^= 0x2a1462b3n;
  }
  return Number(checksum);
}
