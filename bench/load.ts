import { Pool } from 'undici';

export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/**
 * Sends `count` requests over `connections` keep-alive connections, each as soon as its predecessor has its
 * response, and returns the rate and the latencies in milliseconds. Throws on the first status of 400 or
 * above. `onAnswer` gets every response's body.
 */
export async function load(
  origin: string,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly connections: number;
    readonly count: number;
    readonly next: (index: number) => LoadRequest;
    readonly onAnswer?: (body: string) => void;
  },
): Promise<LoadResult> {
  const { headers, connections, count, next, onAnswer } = options;
  const pool = new Pool(origin, { connections });
  const latencies: number[] = [];
  let index = 0;
  const startedAt = performance.now();
  const client = async () => {
    while (index < count) {
      const request = next(index);
      index += 1;
      const sentAt = performance.now();
      const { statusCode, body } = await pool.request({ ...request, headers });
      const text = await body.text();
      latencies.push(performance.now() - sentAt);
      if (statusCode >= 400)
        throw new Error(`${request.method} ${request.path} answered ${statusCode}: ${text}`);
      onAnswer?.(text);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return { perSecond: count / seconds, p50: at(0.5), p99: at(0.99) };
}
