import type { ChainTransfer, Watch } from '../../src/domain/chain/port.ts';
import type { TestChain, TransferRequest } from '../../src/domain/chain/test-chain.ts';
import { createSimulator } from '../../src/domain/chain/simulator/simulator.ts';
import { openDb, type Db } from '../../src/platform/postgres/db.ts';
import { createTestDatabase } from './postgres.ts';

export const START = new Date('2026-01-01T00:00:00Z');
export const BLOCK_SECONDS = 10;

/** START plus seconds: the test's clock. */
export const at = (seconds: number): Date => new Date(START.getTime() + seconds * 1000);

/** What `sendOne` sends unless it is told otherwise. */
export const SENDING: TransferRequest = {
  network: 'tron',
  coin: 'USDT',
  address: 'Tsomewhere',
  amount: '10.50',
};

/** A simulated chain on a database of its own. */
export interface SimulatorSetup {
  readonly db: Db;
  readonly chain: TestChain;
  /** Sends 10.50 USDT on Tron, or what `sending` says instead, at START plus seconds. */
  sendOne(sending: Partial<TransferRequest>, seconds: number): Promise<ChainTransfer>;
  /** Removes every block and transfer. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openSimulator(poolSize = 4): Promise<SimulatorSetup> {
  const database = await createTestDatabase();
  const db = openDb({ url: database.url, poolSize, acquireMs: 10_000, queryMs: 10_000, name: 'test' });
  const chain = createSimulator({ db, blockSeconds: BLOCK_SECONDS, seed: 'seed' });
  return {
    db,
    chain,
    async sendOne(sending, seconds) {
      const [transfer] = await chain.send(db, [{ ...SENDING, ...sending }], at(seconds));
      if (transfer === undefined) throw new Error('nothing was sent');
      return transfer;
    },
    async clear() {
      await db.raw('TRUNCATE sim_transfers, sim_heads');
    },
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
}

/** What a simulated chain, whose transfers are all to addresses of the service, is told to watch. */
export const NOBODY: Watch = {
  own: () => Promise.resolve(new Set()),
  standing: () => Promise.resolve([]),
  mined: () => Promise.resolve(new Set()),
};
