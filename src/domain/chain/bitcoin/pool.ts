import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ProviderError } from '../rpc/provider-error.ts';
import { Refused } from '../rpc/refused.ts';
import type { Branch } from '../scan/branch.ts';
import type { Found } from '../scan/cursor.ts';
import { sightPool } from '../scan/read-branch.ts';
import { isNotThere } from './node.ts';
import { hashText } from './proofs/bytes.ts';
import { readTransaction, type Transaction } from './proofs/transactions.ts';
import { transfersTo, type Matching } from './transfers.ts';

/** Transactions that one poll reads, the newest first: after a start a full pool takes many. */
const MOST_READ = 1_000;
const READ_AT_ONCE = 50;
/** The list of a full pool is 20 MB: it is asked for again after this time for each of its entries. */
const REST_MS_AN_ENTRY = 0.05;
/** What left the pool is forgotten when it is so many, beside half of what the pool has. */
const MOST_GONE = 10_000;

/** The transactions that wait in the pools of nodes: each is read once. */
export class Pool {
  /** All that were listed, as far as they are remembered. */
  #seen = new Set<string>();
  /** Of these, what is to be read yet; the last ones are the newest. */
  #unread: string[] = [];
  /** Of these, the transfers to us: a page that was not stored must not lose them. */
  #ours = new Map<string, Found[]>();
  #restsUntil = 0;

  /**
   * Records the transfers to us that wait in the pool of a node, an extra: nothing proves that they do. What
   * fails here does not concern the poll.
   */
  async sight(provider: JsonRpc, matching: Matching, branch: Branch): Promise<void> {
    if (performance.now() < this.#restsUntil) return;
    try {
      const listed = idsIn(await provider.call('getrawmempool'));
      this.#restsUntil = performance.now() + listed.length * REST_MS_AN_ENTRY;
      this.#remember(listed);
      await this.#readSome(provider, matching);
      const ours = listed.flatMap((id) => this.#ours.get(id) ?? []);
      await sightPool(matching, branch, ours);
    } catch (error) {
      if (!(error instanceof ProviderError || error instanceof Refused)) throw error;
    }
  }

  #remember(listed: readonly string[]): void {
    for (const id of listed) {
      if (this.#seen.has(id)) continue;
      this.#seen.add(id);
      this.#unread.push(id);
    }
    if (this.#seen.size <= listed.length * 1.5 + MOST_GONE) return;
    this.#seen = new Set(listed);
    this.#unread = this.#unread.filter((id) => this.#seen.has(id));
    this.#ours = new Map([...this.#ours].filter(([id]) => this.#seen.has(id)));
  }

  async #readSome(provider: JsonRpc, matching: Matching): Promise<void> {
    const read: Transaction[] = [];
    const left = Math.max(0, this.#unread.length - MOST_READ);
    for (let end = this.#unread.length; end > left; end -= READ_AT_ONCE)
      read.push(
        ...(await transactionsOf(provider, this.#unread.slice(Math.max(left, end - READ_AT_ONCE), end))),
      );
    for (const one of await transfersTo(matching, read))
      this.#ours.set(one.txHash, [...(this.#ours.get(one.txHash) ?? []), one]);
    this.#unread.length = left;
  }
}

function idsIn(sent: unknown): readonly string[] {
  if (!Array.isArray(sent)) throw new Refused('malformed', 'a list is missing');
  return sent.map(hashText);
}

/**
 * Returns the transactions of ids. Left out are those that are gone meanwhile, in a block or replaced, those
 * that are not what was asked for, and all where they are more than an answer may be.
 */
async function transactionsOf(provider: JsonRpc, ids: readonly string[]): Promise<Transaction[]> {
  const calls = ids.map((id) => ({ method: 'getrawtransaction', params: [id, 0] }));
  const sent = await provider.batch(calls, isNotThere).catch((error: unknown) => {
    if (error instanceof ProviderError && error.fault === 'too_large') return [];
    throw error;
  });
  return ids.flatMap((id, i) => {
    try {
      return readTransaction(sent[i], id);
    } catch (error) {
      if (error instanceof Refused) return [];
      throw error;
    }
  });
}
