import { realChains } from '../../../../src/domain/chain/profile.ts';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect } from 'chai';
import {
  FACTORY,
  initCodeOf,
  openForwarder,
  parseTreasury,
} from '../../../../src/domain/chain/wallets/forwarder.ts';
import { FORWARDER } from '../../../../src/domain/chain/wallets/forwarder-code.ts';
import { ERC20_CODE, findAnvil, startAnvil, wordOf, type Anvil } from '../../../support/anvil.ts';
import { compileContracts } from '../../../support/compile-contract.ts';
import { until } from '../../../support/until.ts';
import { TREASURY } from '../../../support/wallets.ts';

const MAINNET = realChains({ chainProfile: 'mainnet', testnetTokens: {} });

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f';
/** A token that is in no list. */
const OTHER = '0x00000000000000000000000000000000000a11ce';
const STRANGER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const ETHER = 10n ** 18n;

const { version } = createRequire(import.meta.url)('solc/package.json') as { version: string };

describe('the forwarder contract', function () {
  this.timeout(60_000);

  it('is compiled from its source to the bytes that addresses are derived from', async () => {
    const source = await readFile(new URL('../../../../contracts/Forwarder.sol', import.meta.url), 'utf8');
    expect(version).to.equal(FORWARDER.compiler);
    expect(compileContracts(source).Forwarder?.bytecode).to.equal(FORWARDER.bytecode);
  });
});

describe('money at a forwarder', function () {
  this.timeout(60_000);
  let node: Anvil;
  before(async function () {
    const binary = findAnvil();
    if (binary === null) this.skip();
    node = await startAnvil(binary, 1);
    for (const token of [USDC, DAI, OTHER]) await node.rpc('anvil_setCode', [token, ERC20_CODE]);
  });
  after(() => node?.close());

  const data = parseTreasury(TREASURY, MAINNET);
  const wallet = openForwarder(data, 'wal_test');
  const send = async (to: string, { value = 0n, input = '0x' }: { value?: bigint; input?: string } = {}) => {
    const hash = await node.rpc<string>('eth_sendTransaction', [
      { from: STRANGER, to, value: `0x${value.toString(16)}`, data: input, gas: '0x400000' },
    ]);
    // It is mined at once, and a little after the answer.
    let receipt: { status: string } | null = null;
    await until('the transaction is mined', async () => {
      receipt = await node.rpc('eth_getTransactionReceipt', [hash]);
      return receipt !== null;
    });
    expect(receipt).to.include({ status: '0x1' });
  };
  /** The test's token keeps a balance in the slot of its owner's address. */
  const mint = (token: string, to: string, amount: bigint) =>
    node.rpc('anvil_setStorageAt', [token, wordOf(to), wordOf(amount)]);
  const balanceOf = async (token: string, of: string) =>
    BigInt(
      await node.rpc<string>('eth_call', [{ to: token, data: `0x70a08231${wordOf(of).slice(2)}` }, 'latest']),
    );
  const etherOf = async (address: string) =>
    BigInt(await node.rpc<string>('eth_getBalance', [address, 'latest']));
  const codeAt = (address: string) => node.rpc<string>('eth_getCode', [address, 'latest']);
  const deploy = (index: number) =>
    send(FACTORY, { input: `${wallet.pathAt(index)}${Buffer.from(initCodeOf(data)).toString('hex')}` });
  const flush = (address: string, tokens: readonly string[]) => {
    const selector = Buffer.from(keccak_256(Buffer.from('flush(address[])')))
      .toString('hex')
      .slice(0, 8);
    const words = ['0x20', `0x${tokens.length.toString(16)}`, ...tokens].map((word) => wordOf(word).slice(2));
    return send(address, { input: `0x${selector}${words.join('')}` });
  };

  it('that came before there was code is all moved by the deployment of a stranger', async () => {
    const address = wallet.addressAt(0);
    expect(await codeAt(address)).to.equal('0x');
    await send(address, { value: ETHER });
    await mint(USDC, address, 12_500_000n);
    await mint(DAI, address, 3n * ETHER);
    const [ether, usdc, dai] = [
      await etherOf(TREASURY),
      await balanceOf(USDC, TREASURY),
      await balanceOf(DAI, TREASURY),
    ];
    await deploy(0);
    expect(await codeAt(address)).to.not.equal('0x');
    expect([
      await etherOf(address),
      await balanceOf(USDC, address),
      await balanceOf(DAI, address),
    ]).to.deep.equal([0n, 0n, 0n]);
    expect([
      await etherOf(TREASURY),
      await balanceOf(USDC, TREASURY),
      await balanceOf(DAI, TREASURY),
    ]).to.deep.equal([ether + ETHER, usdc + 12_500_000n, dai + 3n * ETHER]);
  });

  it('that comes afterwards, and a token of no list, is moved by a flush of a stranger', async () => {
    const address = wallet.addressAt(1);
    await deploy(1);
    await send(address, { value: ETHER });
    await mint(USDC, address, 5n);
    await mint(OTHER, address, 7n);
    const before = await etherOf(TREASURY);
    await flush(address, [USDC, OTHER]);
    expect([
      await etherOf(address),
      await balanceOf(USDC, address),
      await balanceOf(OTHER, address),
    ]).to.deep.equal([0n, 0n, 0n]);
    expect([(await etherOf(TREASURY)) - before, await balanceOf(OTHER, TREASURY)]).to.deep.equal([ETHER, 7n]);
  });

  it('is not kept by a token that refuses, nor by what is no token', async () => {
    const address = wallet.addressAt(2);
    await mint(USDC, address, 9n);
    // Reverts whatever it is asked; and an account without code.
    const refusing = '0x00000000000000000000000000000000000bad01';
    await node.rpc('anvil_setCode', [refusing, '0x60006000fd']);
    await deploy(2);
    expect(await balanceOf(USDC, address)).to.equal(0n);
    await mint(USDC, address, 4n);
    await flush(address, [refusing, STRANGER, USDC]);
    expect(await balanceOf(USDC, address)).to.equal(0n);
  });

  it('is moved where the treasury takes no native coin, as far as it can be', async () => {
    const address = wallet.addressAt(3);
    await mint(USDC, address, 9n);
    await send(address, { value: ETHER });
    await node.rpc('anvil_setCode', [TREASURY, '0x60006000fd']);
    await deploy(3);
    expect([await balanceOf(USDC, address), await etherOf(address)]).to.deep.equal([0n, ETHER]);
    await node.rpc('anvil_setCode', [TREASURY, '0x']);
    await flush(address, []);
    expect(await etherOf(address)).to.equal(0n);
  });

  it('cannot be deployed twice: nobody else takes an address', async () => {
    const code = await codeAt(wallet.addressAt(0));
    await node
      .rpc('eth_call', [
        {
          from: STRANGER,
          to: FACTORY,
          data: `${wallet.pathAt(0)}${Buffer.from(initCodeOf(data)).toString('hex')}`,
        },
        'latest',
      ])
      .catch(() => undefined);
    expect(await codeAt(wallet.addressAt(0))).to.equal(code);
  });
});
