import type { Connection, Db, Tx } from '../../../platform/postgres/db.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import { depositAddress } from '../addresses.ts';
import { chainKey } from '../chain-key.ts';
import type { TestChain } from '../test-chain.ts';
import { NETWORK_IDS, NETWORKS, type NetworkId } from '../networks.ts';
import { readCursor, readPage } from './pages.ts';
import { assertSendable, doubleSpend, sameAgain, send, toNewTransfer } from './send.ts';
import * as store from './store.ts';

export interface SimulatorOptions {
  readonly db: Db;
  /** Seconds between two blocks on every network; null or absent: each network's own. */
  readonly blockSeconds?: number | null;
  /**
   * The test clock whose isolated payment has its own chain on each network; null or absent: the shared
   * chains.
   */
  readonly testClock?: string | null;
  /** Deposit addresses are derived from it; a change of the seed changes every address. */
  readonly seed: string;
}

/**
 * Creates a simulated chain for every network, stored in Postgres and shared by any number of processes. A
 * chain begins at height 0 when it is first used. Its head then follows the `now` of each call, a day's gap
 * in one step; an earlier `now` does not change it. Throws RangeError for an invalid option.
 */
export function createSimulator({ db, blockSeconds, seed, testClock = null }: SimulatorOptions): TestChain {
  const keyOf = (network: NetworkId) => chainKey(network, testClock);
  const blockMs = (network: NetworkId) => Math.round((blockSeconds ?? NETWORKS[network].blockSeconds) * 1000);
  if (!Number.isSafeInteger(blockMs('bitcoin')) || blockMs('bitcoin') < 1)
    throw new RangeError('blockSeconds must be 0.001 or more');
  if (seed === '') throw new RangeError('the seed must not be empty');

  /**
   * Every change of a chain runs here, under the lock of its head, after the blocks that are due are mined.
   */
  const onHead = <T>(
    network: NetworkId,
    now: Date,
    work: (tx: Tx) => Promise<T>,
    outer: Tx | null = null,
  ): Promise<T> => {
    const locked = async (tx: Tx) => {
      await store.mineBlocks(tx, keyOf(network), { blockMs: blockMs(network), now, blocks: null });
      return work(tx);
    };
    return outer === null ? transact(db, locked) : locked(outer);
  };
  const headOf = async (connection: Connection, network: NetworkId): Promise<store.Head> => {
    const head = await store.findHead(connection, keyOf(network));
    if (head === null) throw new Error(`the head of the simulated chain ${keyOf(network)} does not exist`);
    return head;
  };

  return {
    derive: (network, { id }) => depositAddress(seed, network, id),

    async poll(network, cursor, _watch, now) {
      const after = readCursor(cursor);
      // Nobody else reads the chain of a test clock, and mostly something is new there.
      const known = testClock === null ? await readPage(db, keyOf(network), after, now) : null;
      if (known !== null && !known.hasNew && blocksDue(known.head, blockMs(network), now) === 0)
        return known.page;
      await onHead(network, now, () => Promise.resolve());
      const fresh = await readPage(db, keyOf(network), after, now);
      if (fresh === null) throw new Error(`the head of the simulated chain ${keyOf(network)} does not exist`);
      return fresh.page;
    },

    async find(network, txHash) {
      const found = await store.findTransfer(db, txHash);
      if (found === null || found.network !== network) return { state: 'unknown', transfers: [] };
      return { state: found.block === null ? 'unmined' : 'mined', transfers: [found] };
    },

    async send(connection, requests, now) {
      requests.forEach(assertSendable);
      const sent = requests.map((request) => toNewTransfer(request, seed, keyOf(request.network)));
      return send(connection, sent, now);
    },

    async replace(txHash, now, outer) {
      const found = await store.findTransfer(outer ?? db, txHash);
      if (found === null) return null;
      const drop = async (tx: Tx) => {
        await store.dropTransfer(tx, keyOf(found.network), txHash, doubleSpend(found), now);
        return store.findTransfer(tx, txHash);
      };
      return onHead(found.network, now, drop, outer);
    },

    async speedUp(txHash, now, outer) {
      const found = await store.findTransfer(outer ?? db, txHash);
      if (found === null) return null;
      const pay = async (tx: Tx) => {
        // Read again under the head's lock: of two requests at once, one sends the replacement.
        const standing = await store.findTransfer(tx, txHash);
        if (standing === null || standing.droppedAt !== null) return standing;
        const chain = keyOf(found.network);
        const replacement = sameAgain(standing, chain);
        await store.insertTransfers(tx, [replacement], now);
        await store.dropTransfer(tx, chain, txHash, replacement.txHash, now);
        return store.findTransfer(tx, txHash);
      };
      return onHead(found.network, now, pay, outer);
    },

    async reorganise(network, depth, now) {
      assertCount('depth', depth);
      return onHead(network, now, async (tx) => {
        const { height } = await headOf(tx, network);
        return store.orphanTransfersAbove(tx, keyOf(network), height - depth);
      });
    },

    async blockTimes(network) {
      const head = await store.findHead(db, keyOf(network));
      return head && ((blocks) => new Date(head.minedAt.getTime() + blocks * blockMs(network)));
    },

    isolate: (tx, { network, address, testClock: own }) =>
      store.isolateChain(tx, network, chainKey(network, own), address),

    discard: (tx, own) =>
      store.discardChains(
        tx,
        NETWORK_IDS.map((network) => chainKey(network, own)),
      ),

    async mine(network, blocks, now) {
      assertCount('blocks', blocks);
      return onHead(network, now, async (tx) => {
        await store.mineBlocks(tx, keyOf(network), { blockMs: blockMs(network), now, blocks });
        return (await headOf(tx, network)).height;
      });
    },
  };
}

function blocksDue(head: store.Head, blockMs: number, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - head.minedAt.getTime()) / blockMs));
}

function assertCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`${name} must be a whole number of 1 or more`);
}
