import type { Bench } from './bench.ts';
import type { ChainNode } from './chain-node.ts';
import { until } from './receivers.ts';

/** The real network that the bench has. */
export const CHAIN = 'ethereum/live';

/** With --quick blocks come this often. */
export const QUICK_BLOCK_MS = 1_000;

/** Of the copies of `copyPayments`, whose addresses are their numbers. */
export const addressOf = (payment: number) => `0x${String(payment).padStart(40, '0')}`;

/** Without the quick blocks of other parts, and without the markets. */
export function envOf({ env, isQuick }: Bench, node: ChainNode): NodeJS.ProcessEnv {
  const { SIMULATOR_BLOCK_SECONDS: _, ...own } = env;
  const markets = ['KRAKEN', 'COINBASE', 'COINGECKO'].map((name) => [
    `RATE_URL_${name}`,
    'http://127.0.0.1:9',
  ]);
  return {
    ...own,
    ...Object.fromEntries(markets),
    ...(isQuick ? { SIMULATOR_BLOCK_SECONDS: String(QUICK_BLOCK_MS / 1_000) } : {}),
    RPC_URLS_ETHEREUM: node.url,
  };
}

/** Waits until the network is read up to its head, and returns the time of it. */
export async function untilRead({ db }: Bench, node: ChainNode): Promise<number> {
  const { time } = await node.head();
  const scannedUntil = async () => {
    const { rows } = await db.query<{ scanned_until: Date | null }>(
      'SELECT scanned_until FROM chain_cursors WHERE chain = $1',
      [CHAIN],
    );
    return rows[0]?.scanned_until ?? null;
  };
  return until(
    async () => ((await scannedUntil())?.getTime() ?? 0) >= time.getTime(),
    async () => String(await scannedUntil()),
  );
}
