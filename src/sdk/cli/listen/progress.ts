import { createHash } from 'node:crypto';
import { CommandError } from '../command/command.ts';
import { readText, statePath, writePrivately } from '../settings/files.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** How many ids are kept to go on by, where a restored service does not know the cursor any more. */
const KEPT_IDS = 20;

interface Stored {
  /** The feed is read behind this cursor; null: from its beginning. */
  readonly after: string | null;
  /** Events of the page behind `after` that are done. */
  readonly done: readonly string[];
  /** The newest events that are done, the newest last. */
  readonly newest: readonly string[];
  /** Until the end of the feed was reached once: older events are passed over. */
  readonly since: string | null;
  /** Requests of redelivery are read behind this cursor; null: from the oldest. */
  readonly redeliveriesAfter: string | null;
  /** Requests of the page behind that are done. */
  readonly redeliveriesDone: readonly string[];
}

const BEGINNING: Stored = {
  after: null,
  done: [],
  newest: [],
  since: null,
  redeliveriesAfter: null,
  redeliveriesDone: [],
};

/**
 * Where a listener stands, in a file: written after the receiver took an event, so that what a listener that
 * is killed was about to forward is forwarded again (at least once).
 */
export class Progress {
  readonly #path: string;
  #stored: Stored;

  private constructor(path: string, stored: Stored) {
    this.#path = path;
    this.#stored = stored;
  }

  /** That of a merchant and a receiver; null: nothing was forwarded there yet. Throws CommandError. */
  static find(env: Terminal['env'], names: readonly string[]): Progress | null {
    const path = pathFor(env, names);
    const text = readText(path);
    if (text === null) return null;
    try {
      return new Progress(path, { ...BEGINNING, ...(JSON.parse(text) as Partial<Stored>) });
    } catch (error) {
      const remedy = 'remove it, and say where to begin: --since or --from-start';
      throw new CommandError(`${path} is damaged: ${remedy}`, { cause: error });
    }
  }

  static begin(env: Terminal['env'], names: readonly string[], from: Partial<Stored>): Progress {
    const progress = new Progress(pathFor(env, names), BEGINNING);
    progress.set(from);
    return progress;
  }

  get at(): Stored {
    return this.#stored;
  }

  isDone(eventId: string): boolean {
    return this.#stored.done.includes(eventId);
  }

  set(changes: Partial<Stored>): void {
    this.#stored = { ...this.#stored, ...changes };
    writePrivately(this.#path, `${JSON.stringify(this.#stored)}\n`);
  }

  /** The event needs nothing any more. */
  finish(eventId: string): void {
    const { done, newest } = this.#stored;
    this.set({ done: [...done, eventId], newest: [...newest, eventId].slice(-KEPT_IDS) });
  }
}

function pathFor(env: Terminal['env'], names: readonly string[]): string {
  const digest = createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16);
  return statePath(env, `listen-${digest}.json`);
}
