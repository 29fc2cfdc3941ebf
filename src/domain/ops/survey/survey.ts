import type { Context } from '../../../platform/context.ts';
import { readWaitingMoney } from './money.ts';
import { sharedReads } from './shared-reads.ts';
import {
  countPayments,
  countStopped,
  countTurns,
  readLiveNetworks,
  readNetworks,
  readPartitions,
  type NetworkRow,
} from './statements.ts';

export interface NetworkAge {
  readonly network: string;
  /** How long ago its head was last seen to advance. */
  readonly ageSeconds: number;
  /** How long its sync has been due, or how far its scan is behind. */
  readonly lateSeconds: number;
  readonly isHalted: boolean;
}

/**
 * What metrics show of the whole database, each by itself, so that one that cannot be read hides no other.
 * Each is read only when somebody asks, rejects while Postgres is unavailable, and is bounded at ten million
 * payments. `share` is for what others read beside.
 */
export function openSurvey({ db, systemNow }: Context) {
  const share = sharedReads();
  const ages = new HeadAges();
  return {
    share,
    payments: share(() => countPayments(db)),
    endpoints: share(() => countStopped(db, systemNow())),
    turns: share(() => countTurns(db, systemNow())),
    networks: share(async () => (await readNetworks(db, systemNow())).map((row) => ages.of(row))),
    live: share(() => readLiveNetworks(db, systemNow())),
    partitions: share(() => readPartitions(db, systemNow())),
    money: share(() => readWaitingMoney(db, systemNow())),
  };
}

/** A head has no time in the database: its age counts from when this process first saw it. */
class HeadAges {
  readonly #heads = new Map<string, { head: string | null; since: number }>();

  of({ network, head, late_seconds: lateSeconds, is_halted: isHalted }: NetworkRow): NetworkAge {
    const known = this.#heads.get(network);
    const since = known?.head === head ? known.since : performance.now();
    this.#heads.set(network, { head, since });
    const ageSeconds = (performance.now() - since) / 1000;
    return { network, ageSeconds, lateSeconds, isHalted };
  }
}
