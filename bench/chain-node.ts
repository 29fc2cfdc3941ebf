import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { ERC20_CODE, findAnvil, startAnvil, wordOf } from '../test/support/anvil.ts';
import { contractOf } from '../test/support/evm-stand.ts';

/** A node with the id and a token of Ethereum, and what a provider in front of it is asked for. */
export interface ChainNode {
  readonly pid: number;
  /** The node itself. */
  readonly direct: string;
  /** Of the provider that counts, and knows no pending block, as hosted ones mostly do. */
  readonly url: string;
  /** How many calls it has answered. */
  calls(): number;
  /** Puts a transfer of 10.50 USDC to each address into the pool. */
  pay(addresses: readonly string[]): Promise<void>;
  /** Mines what is in the pool, and some empty blocks after it: a second each, hours ago. */
  mine(blocks?: number): Promise<void>;
  /** Mines what is in the pool in a block of now. */
  mineNow(): Promise<void>;
  /** Returns the newest block. */
  head(): Promise<{ height: number; time: Date }>;
  close(): Promise<void>;
}

/** Calls of a batch are answered beside each other: an account sends one of them. */
const ACCOUNTS = 200;
/** Safe and final are this far below the head, or twice as far. */
const EPOCH_SLOTS = 4;
const PLENTY = wordOf(10n ** 30n);
const UNITS = wordOf(10_500_000n);
const FEES = { gas: '0x20000', maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x3b9aca00' };

/** Blocks that are mined at once have a time each, none of which may be to come. */
const HOURS_AGO = 3;

/** Starts a node; null: there is no anvil for this machine. */
export async function openChainNode(): Promise<ChainNode | null> {
  const binary = findAnvil();
  if (binary === null) return null;
  const options = ['--no-mining', '--slots-in-an-epoch', String(EPOCH_SLOTS), '--accounts', String(ACCOUNTS)];
  options.push('--timestamp', String(Math.floor(Date.now() / 1_000) - HOURS_AGO * 3_600));
  const anvil = await startAnvil(binary, 1, options);
  const token = contractOf('USDC');
  const accounts = await anvil.rpc<string[]>('eth_accounts');
  await anvil.rpc('anvil_setCode', [token, ERC20_CODE]);
  for (const account of accounts) await anvil.rpc('anvil_setStorageAt', [token, wordOf(account), PLENTY]);
  await anvil.rpc('anvil_mine', ['0x20']);
  const provider = await startProvider(anvil.url);
  let paid = 0;
  return {
    pid: anvil.pid,
    direct: anvil.url,
    url: provider.url,
    calls: provider.calls,
    async pay(addresses) {
      const calls = addresses.map((address, id) => {
        const data = `0xa9059cbb${wordOf(address).slice(2)}${UNITS.slice(2)}`;
        const from = accounts[(paid += 1) % accounts.length];
        return {
          jsonrpc: '2.0',
          id,
          method: 'eth_sendTransaction',
          params: [{ from, to: token, data, ...FEES }],
        };
      });
      const { body } = await request(anvil.url, { ...POST, body: JSON.stringify(calls) });
      const answers = (await body.json()) as { error?: { message: string } }[];
      for (const { error } of answers) if (error !== undefined) throw new Error(error.message);
    },
    async mine(blocks = 1) {
      await anvil.rpc('anvil_mine', [wordOf(BigInt(blocks))]);
    },
    async mineNow() {
      await anvil.rpc('evm_setNextBlockTimestamp', [Math.floor(Date.now() / 1_000)]);
      await anvil.rpc('anvil_mine', ['0x1']);
    },
    async head() {
      const { number, timestamp } = await anvil.rpc<Record<'number' | 'timestamp', string>>(
        'eth_getBlockByNumber',
        ['latest', false],
      );
      return { height: Number(number), time: new Date(Number(timestamp) * 1_000) };
    },
    async close() {
      provider.close();
      await anvil.close();
    },
  };
}

const POST = { method: 'POST', headers: { 'content-type': 'application/json' } } as const;

async function startProvider(url: string) {
  let calls = 0;
  const dispatcher = new Agent({ connections: 16 });
  const answer = async (asked: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    calls += 1;
    if (body.includes('"pending"'))
      return '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no pending block"}}';
    return (await request(url, { ...POST, body, dispatcher })).body.text();
  };
  const server = createServer((asked, response) => {
    answer(asked)
      .then((text) => response.writeHead(200, POST.headers).end(text))
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    close() {
      server.close();
      server.closeAllConnections();
      void dispatcher.destroy();
    },
  };
}
