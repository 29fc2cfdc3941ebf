import { recordAction } from '../../audit/record.ts';
import type { Actor } from '../../../platform/context.ts';
import { IS_ELSEWHERE } from '../../moves/steps.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';

// Indexes: memberships_of_person, merchant_moves_pkey.
const merchantsOfPerson = sql<{ merchant_id: string; is_elsewhere: boolean }, { personId: string }>(
  'merchants_of_person',
  (p) => `
    SELECT b.merchant_id, ${IS_ELSEWHERE('b.merchant_id')} AS is_elsewhere FROM memberships b
    WHERE b.person_id = ${p.personId} ORDER BY b.merchant_id`,
);

interface Done extends Actor {
  readonly at: Date;
  readonly command: string;
  readonly details?: object;
}

/**
 * Writes what was done to a person's account into the audit log of each of their merchants, last in the
 * transaction, and in the order of ids, which no change of a name alters: of two that do so one waits for the
 * other, and not both. A merchant who has left for another cell, or has not arrived from one, has their log
 * there, where this account is not the one that is changed. Whose every merchant is elsewhere has their
 * account there as well: that the database refuses (domain/ops/move/fence.ts).
 */
export async function recordOfPerson(
  tx: Tx,
  personId: string,
  { details = {}, ...done }: Done,
): Promise<void> {
  const all = await run(tx, merchantsOfPerson, { personId });
  const here = all.filter(({ is_elsewhere: isElsewhere }) => !isElsewhere);
  for (const { merchant_id: merchantId } of here.length > 0 ? here : all)
    await recordAction(tx, { ...done, details, merchantId });
}

/** What a person does from an address. */
export const byPerson = (personId: string, { address }: { readonly address: string }): Actor => ({
  kind: 'person',
  actor: personId,
  address,
});
