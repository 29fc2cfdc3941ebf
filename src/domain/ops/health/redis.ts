import { once } from 'node:events';
import { reasonOf } from '../../../platform/logging/reasons.ts';
import { ownersOfKeys, type RedisConnection } from '../../../platform/redis/open.ts';
import type { Check } from './monitor.ts';

const EVERY_MS = 5_000;
/** On a cluster, in one slot: every queue has a slot of its own. It ends by itself. */
const KEY = '{checkout}-probe';
const KEPT_SECONDS = 60;
/** How long a look waits for a connection that is being opened. */
const CONNECT_MS = 1_000;

/** Whether Redis responds, and takes what queues write. */
export function redisCheck(connection: RedisConnection): Check {
  return {
    name: 'redis',
    everyMs: EVERY_MS,
    async look() {
      try {
        // At the start, and while it reconnects: not yet is not away.
        if (/^(connecting|connect)$/.test(connection.status))
          await once(connection, 'ready', { signal: AbortSignal.timeout(CONNECT_MS) });
        await connection.set(KEY, '1', 'EX', KEPT_SECONDS);
        const owners = ownersOfKeys(connection);
        if (owners.length > 1) await Promise.all(owners.map((node) => node.ping()));
        return [];
      } catch (error) {
        return [faultOf(error)];
      }
    },
  };
}

function faultOf(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'Redis: no reply in time';
  const reason = reasonOf(error);
  if (reason?.startsWith('Redis') === true) return reason;
  return `Redis cannot be reached${reason === null ? '' : `: ${reason}`}`;
}
