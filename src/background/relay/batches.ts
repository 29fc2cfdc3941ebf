import type { JobMerchant, LeasedJob } from '../../platform/handover.ts';
import { groupBy } from '../../platform/postgres/sql.ts';
import type { JobData } from '../queues.ts';
import { CARRIED_KEYS } from '../shares/turns.ts';

/**
 * Keys in batches; those that take slots of a merchant only with others of the same. A job that failed before
 * goes alone, so that one poisoned key cannot block others; so does a job of a test clock, which runs by that
 * clock.
 */
export function batches(work: readonly LeasedJob[], size: number, leaseEnd: Date): JobData[] {
  const isAlone = ({ failures, test_clock }: LeasedJob) => failures > 0 || test_clock !== null;
  const groups = groupBy(
    work.filter((item) => !isAlone(item)),
    ({ merchant }) => merchant?.id ?? '',
  );
  const together = [...groups].flatMap(([merchantId, group]) =>
    chunksOf(group, merchantId === '' ? size : CARRIED_KEYS).map((batch) => ({
      keys: batch.map(({ key }) => key),
      ...firstDue(batch),
      ...slotsOf(batch[0]?.merchant ?? null, leaseEnd),
    })),
  );
  const alone = work.filter(isAlone).map(({ key, test_clock, merchant, failures }) => ({
    keys: [key],
    ...(failures === 0 ? {} : { failures }),
    ...(test_clock === null ? {} : { testClock: test_clock }),
    ...slotsOf(merchant, leaseEnd),
  }));
  return [...together, ...alone];
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

function slotsOf(merchant: JobMerchant | null, leaseEnd: Date): Pick<JobData, 'merchant' | 'leaseEnd'> {
  return merchant === null ? {} : { merchant, leaseEnd: leaseEnd.toISOString() };
}

/** When the first of them was due; jobs that waited for a turn do not say. */
function firstDue(work: readonly Pick<LeasedJob, 'run_at'>[]): Pick<JobData, 'dueAt'> {
  const times = work.flatMap(({ run_at }) => (run_at === undefined ? [] : [run_at.getTime()]));
  return times.length === 0 ? {} : { dueAt: new Date(Math.min(...times)).toISOString() };
}
