import { request } from 'undici';

/** Fetches a JSON document. Throws RateSourceError. */
export type FetchJson = (url: string) => Promise<unknown>;

/** A source that cannot be read now. The message names the host: a URL may hold a key. */
export class RateSourceError extends Error {
  constructor(url: string, reason: string, cause?: unknown) {
    super(`${new URL(url).host}: ${reason}`, { cause });
    this.name = 'RateSourceError';
  }
}

/** For the whole exchange: a refresh waits for the slowest source. */
const DEADLINE_MS = 5_000;
/** All pairs of the largest source take some 10 kB. */
const MOST_BYTES = 256 * 1024;

/** Fetches as a refresh does. */
export const fetchJson: FetchJson = (url) => fetchWithin(url, DEADLINE_MS);

/** What a request sends beside its URL; a GET: nothing. */
export interface Sent {
  readonly method: 'POST';
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One request under one deadline, with a bounded body; a redirect is no price. Throws RateSourceError. */
export async function fetchWithin(url: string, deadlineMs: number, sent?: Sent): Promise<unknown> {
  const signal = AbortSignal.timeout(deadlineMs);
  const { statusCode, body } = await request(url, {
    ...sent,
    signal,
    headers: { accept: 'application/json', 'user-agent': 'payment-checkout', ...sent?.headers },
  }).catch((error: unknown) => {
    throw new RateSourceError(url, signal.aborted ? `no response within ${deadlineMs} ms` : reasonOf(error));
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new Error(`the response is larger than ${MOST_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw new RateSourceError(url, signal.aborted ? `no response within ${deadlineMs} ms` : reasonOf(error));
  }
  if (statusCode !== 200) throw new RateSourceError(url, `status ${statusCode}`);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    throw new RateSourceError(url, 'the response is not JSON');
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
