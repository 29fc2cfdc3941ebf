import { recordAction } from '../audit/record.ts';
import type { Actor, Context } from '../../platform/context.ts';
import { runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { lockMerchant, readSettings } from './store.ts';

/** Zones that every runtime has; `UTC` is not among them. */
export const TIME_ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')];

/**
 * Returns the IANA name of a time zone as it is usually written. Throws RangeError for what this runtime does
 * not know, and for a bare offset: its clocks never change.
 */
export function timeZoneOf(text: string): string {
  const name = text.trim();
  try {
    if (!/^[A-Za-z]/.test(name)) throw new RangeError('an offset');
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Of two names of one zone the runtime prefers one; what was asked for is shown.
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    throw new RangeError(`${name} is no time zone such as Europe/Berlin`);
  }
}

const updateTimeZone = sql<{ id: string }, { merchantId: string; timeZone: string }>(
  'set_time_zone_of_merchant',
  (p) => `UPDATE merchants SET time_zone = ${p.timeZone} WHERE id = ${p.merchantId} RETURNING id`,
);

/** Sets the zone of the days in the merchant's charts. Throws RangeError for an unknown merchant. */
export async function setTimeZone(
  connection: Connection,
  merchantId: string,
  timeZone: string,
): Promise<void> {
  const updated = await runOne(connection, updateTimeZone, { merchantId, timeZone });
  if (updated === null) throw new RangeError(`There is no merchant ${merchantId}`);
}

/** Sets it for a person, and writes down who did, with what was before. */
export async function changeTimeZone(
  { db, now }: Pick<Context, 'db' | 'now'>,
  merchantId: string,
  after: string,
  by: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const before = (await readSettings(tx, merchantId))?.time_zone ?? null;
    await setTimeZone(tx, merchantId, after);
    const details = { before, after };
    await recordAction(tx, { at: now(), ...by, merchantId, command: 'time zone changed', details });
  });
}
