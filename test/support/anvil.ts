import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** What a node answers with instead of a result. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
}

/** A real Ethereum node in a process of its own, with funded accounts that it signs for. */
export interface Anvil {
  readonly url: string;
  readonly pid: number;
  /** The result of a JSON-RPC method; throws the node's `RpcError`. */
  rpc<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
  close(): Promise<void>;
}

const CPUS: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Where anvil is: named by ANVIL, or of the package for this machine; null: nowhere. */
export function findAnvil(): string | null {
  if (process.env.ANVIL !== undefined) return process.env.ANVIL;
  const system = process.platform === 'win32' ? 'win32' : process.platform;
  const name = `@foundry-rs/anvil-${system}-${CPUS[process.arch] ?? process.arch}`;
  try {
    const { resolve } = createRequire(import.meta.url);
    const binary = join(dirname(resolve(`${name}/package.json`)), 'bin', 'anvil');
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}

/** Starts a node of a chain, on a free port. */
export async function startAnvil(
  binary: string,
  chainId: number,
  options: readonly string[] = [],
): Promise<Anvil> {
  const child = spawn(binary, ['--port', '0', '--chain-id', String(chainId), ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Whoever is broken off leaves no node behind.
  const kill = () => void child.kill();
  process.once('exit', kill);
  const lines = createInterface(child.stdout);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code} before it listened`)));
    lines.on('line', (line) => {
      const [, address] = /Listening on (\S+)/.exec(line) ?? [];
      if (address !== undefined) resolve(`http://${address}`);
    });
  });
  let id = 0;
  return {
    url,
    pid: child.pid ?? 0,
    async rpc<Result>(method: string, params: readonly unknown[] = []) {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params }),
      });
      const { result, error } = (await answer.json()) as { result: Result; error?: RpcError };
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
    async close() {
      const ended = once(child, 'exit');
      kill();
      await ended;
      process.off('exit', kill);
      lines.close();
    },
  };
}

const TRANSFER_EVENT = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * The least of an ERC-20: `transfer(address,uint256)` and `balanceOf(address)`. The balance of an account is
 * in the storage slot with the number of its address.
 */
export const ERC20_CODE = `0x${[
  '60003560e01c', // 00 selector
  '8063a9059cbb14602b57', // 06 transfer: 2b
  '6370a0823114601e57', // 10 balanceOf: 1e
  '60006000fd', // 19 anything else: revert
  '5b6004355460005260206000f3', // 1e return balance[account]
  '5b3354602435818111607d57', // 2b balance[sender] < amount: 7d
  '8091033355', // 37 balance[sender] -= amount
  '60043554810160043555', // 3c balance[to] += amount
  '600052', // 46 memory = amount
  `600435337f${TRANSFER_EVENT}60206000a3`, // 49 log Transfer(sender, to, amount)
  '600160005260206000f3', // 73 return true
  '5b60006000fd', // 7d revert
].join('')}`;

/** An address or a number as a word of the EVM. */
export const wordOf = (value: string | bigint): string => `0x${BigInt(value).toString(16).padStart(64, '0')}`;

export const TRANSFER_TOPIC = `0x${TRANSFER_EVENT}`;
