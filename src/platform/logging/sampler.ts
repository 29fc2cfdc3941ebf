/** A line before it is formatted. */
export interface LogLine {
  level: string;
  message: unknown;
  [field: string]: unknown;
}

export interface SamplerLimits {
  readonly windowMs: number;
  /** Lines of one kind and one source that are written in a window. */
  readonly perSource: number;
  /** Lines of one kind that are written in a window, whoever causes them: sources can be invented. */
  readonly perKind: number;
  /** Counts that are kept at once; a source beyond shares the count of its kind. */
  readonly counts: number;
}

const LIMITS: SamplerLimits = { windowMs: 10_000, perSource: 10, perKind: 300, counts: 1_000 };

/** What tells the sources of one message apart. Ids of single requests, payments and deliveries do not. */
const SOURCE_FIELDS = ['status', 'reason', 'address', 'merchant_id', 'queue', 'job', 'use'] as const;
const MAX_FIELD_LENGTH = 64;

interface Count {
  until: number;
  written: number;
  suppressed: number;
  last: LogLine;
}

/**
 * Bounds what repeated lines cost: the first lines of a kind (level and message) and source in a window are
 * written, the others are counted. When the window ends, the last of them is written with the count as
 * `repeated`. Warnings, errors and refused requests are sampled; a line that reports work done never is.
 */
export class Sampler {
  readonly #write: (line: LogLine) => void;
  readonly #limits: SamplerLimits;
  readonly #clock: () => number;
  readonly #counts = new Map<string, Count>();
  readonly #kinds = new Map<string, Count>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    write: (line: LogLine) => void,
    { clock = () => performance.now(), ...limits }: Partial<SamplerLimits> & { clock?: () => number } = {},
  ) {
    this.#write = write;
    this.#limits = { ...LIMITS, ...limits };
    this.#clock = clock;
  }

  /** Whether the line is written now; false: it was counted. */
  takes(line: LogLine): boolean {
    if (!isSampled(line)) return true;
    const now = this.#clock();
    const kindName = `${line.level} ${String(line.message).slice(0, 128)}`;
    const kind = this.#countOf(this.#kinds, kindName, line, now);
    const sourceName = `${kindName} ${sourceOf(line)}`;
    const isFull = this.#counts.size >= this.#limits.counts && !this.#counts.has(sourceName);
    const count = isFull ? kind : this.#countOf(this.#counts, sourceName, line, now);
    if (count.written < this.#limits.perSource && kind.written < this.#limits.perKind) {
      count.written += 1;
      if (count !== kind) kind.written += 1;
      return true;
    }
    const full = kind.written < this.#limits.perKind ? count : kind;
    full.suppressed += 1;
    full.last = line;
    this.#timer ??= setTimeout(() => this.#sweep(), this.#limits.windowMs).unref();
    return false;
  }

  /** Writes all pending counts: at the end of the process, and for tests. */
  flush(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#end(Infinity);
  }

  #countOf(counts: Map<string, Count>, name: string, line: LogLine, now: number): Count {
    const known = counts.get(name);
    if (known !== undefined && now < known.until) return known;
    if (known !== undefined) this.#report(known);
    // Messages are constant; should one not be, what exceeds the bound shares a count.
    if (known === undefined && counts.size > this.#limits.counts && name !== 'other')
      return this.#countOf(counts, 'other', line, now);
    const begun = { until: now + this.#limits.windowMs, written: 0, suppressed: 0, last: line };
    counts.set(name, begun);
    this.#timer ??= setTimeout(() => this.#sweep(), this.#limits.windowMs).unref();
    return begun;
  }

  #sweep(): void {
    this.#end(this.#clock());
    if (this.#counts.size + this.#kinds.size > 0)
      this.#timer = setTimeout(() => this.#sweep(), this.#limits.windowMs / 10).unref();
  }

  /** Forgets the windows that have ended by `now`. */
  #end(now: number): void {
    this.#timer = null;
    for (const counts of [this.#counts, this.#kinds])
      for (const [name, count] of counts) {
        if (count.until > now) continue;
        counts.delete(name);
        this.#report(count);
      }
  }

  #report({ suppressed, last }: Count): void {
    if (suppressed > 0) this.#write({ ...last, repeated: suppressed });
  }
}

function isSampled({ level, status, repeated }: LogLine): boolean {
  if (repeated !== undefined) return false;
  return level === 'warn' || level === 'error' || (typeof status === 'number' && status >= 400);
}

function sourceOf(line: LogLine): string {
  return SOURCE_FIELDS.map((field) => textOf(line[field])).join(' ');
}

function textOf(value: unknown): string {
  const isShort = typeof value === 'string' || typeof value === 'number';
  return isShort ? String(value).slice(0, MAX_FIELD_LENGTH) : '';
}
