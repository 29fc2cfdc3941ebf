import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_CHAIN_KEY } from '../../chain/chain-key.ts';
import { NETWORK_IDS, type NetworkId } from '../../chain/networks.ts';
import type { Context } from '../../../platform/context.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';
import { run, sql } from '../../../platform/postgres/db.ts';

const EVERY_MS = 10_000;
/** What could not be read is tried again this soon: until then nobody knows of any network, or of a halt. */
const RETRY_MS = 1_000;

interface ServedRow {
  readonly network: NetworkId;
  readonly is_halted: boolean;
}

// Until a watcher has read its first page, nothing that is paid there would be found.
const served = sql<ServedRow, { networks: readonly NetworkId[] }>(
  'served_networks',
  (p) => `
    SELECT n.network, c.halted_at IS NOT NULL AS is_halted
    FROM unnest(${p.networks}::text[]) AS n (network)
      JOIN chain_cursors c ON c.chain = ${LIVE_CHAIN_KEY('n.network')}
    WHERE c.cursor IS NOT NULL`,
);

/**
 * The real networks that a watcher reads, as they were some seconds ago: who creates a payment asks no
 * database, and has no provider to ask.
 */
export class ServedNetworks {
  #rows: readonly ServedRow[] = [];
  #isRead = true;

  /** Returns those that a watcher reads, or has read. */
  get networks(): readonly NetworkId[] {
    return this.#rows.map(({ network }) => network);
  }

  /** False: the last read failed. */
  get isRead(): boolean {
    return this.#isRead;
  }

  isHalted(network: NetworkId): boolean {
    return this.#rows.some((row) => row.network === network && row.is_halted);
  }

  /**
   * Reads them again. What is known stays where that fails; the log says so once, and when it ends. A read
   * that fails after `signal` is not logged: the process is closing its connections.
   */
  async refresh({ db, log }: Pick<Context, 'db' | 'log'>, signal?: AbortSignal): Promise<void> {
    try {
      this.#rows = await run(db, served, { networks: NETWORK_IDS });
      if (!this.#isRead) log.info('the networks that a watcher reads are known again');
      this.#isRead = true;
    } catch (error) {
      if (signal?.aborted === true) return;
      if (this.#isRead)
        log.warn('the networks that a watcher reads cannot be read: those known before go on, retrying', {
          retry_seconds: RETRY_MS / 1_000,
          ...faultOf(error),
        });
      this.#isRead = false;
    }
  }
}

/**
 * Reads them, and keeps them up to date until they are closed. A process that serves or works before would
 * refuse live payments, and put their jobs off; where Postgres is away it begins without.
 */
export async function followServed(
  ctx: Pick<Context, 'db' | 'log'>,
): Promise<{ served: ServedNetworks; close(): void }> {
  const networks = new ServedNetworks();
  const stop = new AbortController();
  await networks.refresh(ctx, stop.signal);
  const follow = async () => {
    while (!stop.signal.aborted) {
      const pauseMs = networks.isRead ? EVERY_MS : RETRY_MS;
      await sleep(pauseMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      if (!stop.signal.aborted) await networks.refresh(ctx, stop.signal);
    }
  };
  void follow();
  return { served: networks, close: () => stop.abort() };
}
