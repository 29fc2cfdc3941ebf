import { constants, createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Spent } from './limits.ts';

/** A person said from which number on an account signs. */
interface Registered {
  readonly kind: 'registered';
  readonly at: string;
  readonly network: string;
  readonly account: string;
  readonly nonce: number;
}

/** A transaction was signed: the first of a refund, or one that replaces it for more gas. */
export interface SignedEntry extends Omit<Spent, 'at'> {
  readonly kind: 'signed';
  readonly at: string;
  readonly refund: string;
  /** Hash of the intent. */
  readonly intent: string;
  readonly network: string;
  readonly account: string;
  readonly nonce: number;
  readonly hash: string;
  /** In hexadecimal, without 0x; empty: not known. */
  readonly raw: string;
}

export type Entry = Registered | SignedEntry;

/** Longer than any window of a limit. */
const KEPT_MS = 25 * 3_600_000;
const MAX_LINE = 8_192;

/**
 * The signer's memory, a file beside its key to which lines are only added. What it holds was signed,
 * whatever becomes of the database: rows that are deleted there give no limit back, and let nothing be paid
 * twice. A line is on the disk before anybody sees what was signed.
 */
export class Journal {
  readonly #file: FileHandle;
  readonly #account: string;
  readonly #next = new Map<string, number>();
  /** Hashes of what was signed, by refund. */
  readonly #refunds = new Map<string, Set<string>>();
  /** Something went wrong while a line was written: nobody knows whether it is there. */
  #isBroken = false;
  #spent: Spent[] = [];
  /** Entries that the database may lack. */
  #unstored: SignedEntry[] = [];

  private constructor(file: FileHandle, account: string) {
    this.#file = file;
    this.#account = account;
  }

  /**
   * Opens the journal of an account's key, or begins one. A last line that is cut off was never acted on, and
   * is removed. Throws RangeError for a file that is no journal, or that of another key.
   */
  static async open(path: string, account: string): Promise<Journal> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
    const journal = new Journal(file, account);
    try {
      const { mode } = await file.stat();
      if ((mode & 0o077) !== 0)
        throw new RangeError('The journal can be read or written by others: chmod 600');
      await file.truncate(await endOfLastLine(file));
      let line = 0;
      for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
        line += 1;
        journal.#take(parse(text, line));
      }
      return journal;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The next number of an account on a network; null: nobody has registered it. */
  nextNonce(network: string): number | null {
    return this.#next.get(network) ?? null;
  }

  get networks(): readonly string[] {
    return [...this.#next.keys()];
  }

  /** True for a refund of which a transaction was signed. */
  hasSigned(refund: string): boolean {
    return this.#refunds.has(refund);
  }

  /** True for the hash of a transaction that was signed for a refund: whatever else has one is not ours. */
  knows(refund: string, hash: string): boolean {
    return this.#refunds.get(refund)?.has(hash) ?? false;
  }

  /** What was signed within a day, and a little more. */
  spent(now: number): readonly Spent[] {
    this.#spent = this.#spent.filter(({ at }) => at > now - KEPT_MS);
    return this.#spent;
  }

  unstored(): readonly SignedEntry[] {
    return this.#unstored;
  }

  markStored(entries: readonly SignedEntry[]): void {
    const stored = new Set(entries);
    this.#unstored = this.#unstored.filter((entry) => !stored.has(entry));
  }

  /** Adds an entry; it is on the disk when this returns. After a failure nothing is added until a restart. */
  async append(entry: Entry): Promise<void> {
    if (this.#isBroken) throw new Error('the journal could not be written: restart the signer');
    this.#isBroken = true;
    await this.#file.appendFile(`${JSON.stringify(entry)}\n`);
    await this.#file.sync();
    this.#take(entry);
    this.#isBroken = false;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #take(entry: Entry): void {
    const { network, account, nonce } = entry;
    if (account !== this.#account)
      throw new RangeError(`The journal is that of ${account}, and the key is that of ${this.#account}`);
    if (entry.kind === 'registered') return void this.#next.set(network, nonce);
    this.#next.set(network, Math.max(nonce + 1, this.#next.get(network) ?? 0));
    this.#refunds.set(entry.refund, (this.#refunds.get(entry.refund) ?? new Set()).add(entry.hash));
    this.#spent.push({
      at: Date.parse(entry.at),
      method: entry.method,
      amount: entry.amount,
      usd: entry.usd,
    });
    if (entry.raw !== '') this.#unstored.push(entry);
  }
}

async function endOfLastLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const length = Math.min(size, MAX_LINE);
  const tail = Buffer.alloc(length);
  await file.read(tail, 0, length, size - length);
  const end = tail.lastIndexOf('\n') + 1;
  if (end === 0 && size > length)
    throw new RangeError('The journal ends with something that is no line of it');
  return size - length + end;
}

function parse(text: string, line: number): Entry {
  try {
    const entry = JSON.parse(text) as Entry;
    const isWhole =
      typeof entry.network === 'string' && typeof entry.account === 'string' && Number.isInteger(entry.nonce);
    if (isWhole && !Number.isNaN(Date.parse(entry.at)) && (entry.kind === 'registered' || isSigned(entry)))
      return entry;
  } catch {
    // Said below.
  }
  throw new RangeError(`Line ${line} of the journal is damaged: restore the file, and sign nothing before`);
}

const isSigned = (entry: SignedEntry): boolean =>
  entry.kind === 'signed' &&
  [entry.refund, entry.hash, entry.raw, entry.method, entry.amount, entry.usd].every(
    (one) => typeof one === 'string',
  );
