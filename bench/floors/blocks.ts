import { Agent, request } from 'undici';
import { contractOf } from '../../test/support/evm-stand.ts';

/** As the client of the service has. */
const [CONNECTIONS, AHEAD, BLOCKS_A_RANGE] = [8, 16, 2_000];

/**
 * Asks for the blocks of a range, with their transactions, and for the logs of a token in ranges, parses what
 * comes, and does nothing with it. Returns how many blocks it read a second.
 */
export async function readBlocks(url: string, from: number, to: number): Promise<number> {
  const dispatcher = new Agent({ connections: CONNECTIONS });
  const ask = async (method: string, params: readonly unknown[]) => {
    const { body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method, params }),
      dispatcher,
    });
    return body.json();
  };
  const startedAt = performance.now();
  for (let first = from; first <= to; first += BLOCKS_A_RANGE) {
    const last = Math.min(to, first + BLOCKS_A_RANGE - 1);
    await ask('eth_getLogs', [{ fromBlock: hex(first), toBlock: hex(last), address: [contractOf('USDC')] }]);
    let next = first;
    const readSome = async () => {
      for (let height = next++; height <= last; height = next++)
        await ask('eth_getBlockByNumber', [hex(height), true]);
    };
    await Promise.all(Array.from({ length: AHEAD }, readSome));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await dispatcher.destroy();
  return (to - from + 1) / seconds;
}

const hex = (value: number): string => `0x${value.toString(16)}`;
