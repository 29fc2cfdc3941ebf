import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RpcError } from './anvil.ts';
import { freePort } from './free-port.ts';
import { startKept } from './kept-process.ts';

/** The one that .ci/btcd builds. */
const VERSION = '0.26.2';

/** What stands in the title of a test that is pending without it. */
export const NEEDS_BTCD = `needs btcd ${VERSION}: \`bash .ci/btcd\` builds it where Go is`;

/** A Bitcoin node of a chain of its own, in a process of its own. */
export interface Btcd {
  /** With name and password. */
  readonly url: string;
  /** The result of a JSON-RPC method; throws the node's `RpcError`. */
  rpc<Result>(method: string, params?: readonly unknown[]): Promise<Result>;
  close(): Promise<void>;
}

/** Where btcd is: named by BTCD, or in the cache of this user; null: nowhere. */
export function findBtcd(): string | null {
  if (process.env.BTCD !== undefined) return process.env.BTCD;
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const binary = join(cache, 'payment-checkout', `btcd-${VERSION}`, 'btcd');
  return existsSync(binary) ? binary : null;
}

/** Starts a node, which mines nothing by itself and knows no other. */
export async function startBtcd(binary: string): Promise<Btcd> {
  const folder = await mkdtemp(join(tmpdir(), 'btcd-'));
  const port = await freePort();
  const node = await startKept(folder, [
    binary,
    '--regtest',
    '--nolisten',
    '--notls',
    '--txindex',
    '--nocfilters',
    '--rpcuser=user',
    '--rpcpass=password',
    `--rpclisten=127.0.0.1:${port}`,
    '--rpcmaxclients=100',
    `--datadir=${folder}/data`,
    `--logdir=${folder}/log`,
  ]);
  let id = 0;
  const rpc = async <Result>(method: string, params: readonly unknown[] = []) => {
    const answer = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Basic ${Buffer.from('user:password').toString('base64')}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params }),
    });
    const { result, error } = (await answer.json()) as { result: Result; error?: RpcError | null };
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  };
  await node.untilReady('btcd answers', () =>
    rpc('getblockcount').then(
      () => true,
      () => false,
    ),
  );
  return { url: `http://user:password@127.0.0.1:${port}`, rpc, close: () => node.stop() };
}
