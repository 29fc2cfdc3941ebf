import { constants, createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
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
/** What was signed before is final, and its intent too old to be looked at: the database may lack it. */
const STORED_MS = 35 * 86_400_000;
const MAX_LINE = 8_192;

/**
 * The signer's memory, a file beside its key to which lines are only added. What it holds was signed,
 * whatever becomes of the database: rows that are deleted there give no limit back, and let nothing be paid
 * twice. A line is on the disk before anybody sees what was signed.
 */
export class Journal {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #account: string;
  readonly #openedAt: number;
  readonly #next = new Map<string, number>();
  /** Hashes of what was signed, by refund, with a space between: of all that ever was. */
  readonly #refunds = new Map<string, string>();
  /** Something went wrong while a line was written: nobody knows whether it is there. */
  #isBroken = false;
  /** How long the file is, as far as this process knows. */
  #size = 0;
  #spent: Spent[] = [];
  /** Entries that the database may lack. */
  #unstored: SignedEntry[] = [];

  private constructor(path: string, file: FileHandle, [account, now]: readonly [string, Date]) {
    [this.#path, this.#file] = [path, file];
    [this.#account, this.#openedAt] = [account, now.getTime()];
  }

  /**
   * Opens the journal of an account's key, or begins one. A last line that is cut off was never acted on, and
   * is removed. Throws RangeError for a file that is no journal, or that of another key.
   */
  static async open(path: string, account: string, now: Date): Promise<Journal> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
    const journal = new Journal(path, file, [account, now]);
    try {
      const { mode } = await file.stat();
      if ((mode & 0o077) !== 0)
        throw new RangeError('The journal can be read or written by others: chmod 600');
      journal.#size = await endOfLastLine(file);
      await file.truncate(journal.#size);
      let line = 0;
      for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
        line += 1;
        journal.#take(parse(text, line));
      }
      // Where the clock is ahead, what was signed last says what is a day ago.
      const newest = journal.#spent.reduce((latest, { at }) => Math.max(latest, at), 0);
      journal.#spent = journal.spent(Math.min(newest, now.getTime()));
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

  /** Returns the hashes of all that was signed for a refund: whatever else has one is not ours. */
  hashesOf(refund: string): ReadonlySet<string> {
    return new Set(this.#refunds.get(refund)?.split(' '));
  }

  /** What was signed within a day, and more. A clock that jumps ahead and back lets it forget nothing. */
  spent(now: number): Spent[] {
    return this.#spent.filter(({ at }) => at > now - KEPT_MS);
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
    await this.#assertOwn();
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    await this.#file.appendFile(line);
    await this.#file.sync();
    this.#size += line.length;
    this.#take(entry);
    this.#isBroken = false;
  }

  /** Throws where the file was removed, replaced or written by others: this process knows too little. */
  async #assertOwn(): Promise<void> {
    const own = await this.#file.stat();
    const there = await stat(this.#path).catch(() => null);
    if (there?.ino !== own.ino || there.dev !== own.dev || own.size !== this.#size)
      throw new Error('the journal is not what this process has written: find out who has it, and restart');
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
    const { refund, hash, method, amount, usd } = entry;
    const before = this.#refunds.get(refund);
    this.#refunds.set(refund, before === undefined ? hash : `${before} ${hash}`);
    const at = Date.parse(entry.at);
    this.#spent.push({ at, method, amount, usd });
    if (at > this.#openedAt - STORED_MS && entry.raw !== '') this.#unstored.push(entry);
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
