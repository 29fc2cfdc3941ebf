import { recordAction } from '../../audit/record.ts';
import type { Actor } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';

// Index: memberships_of_person.
const merchantsOfPerson = sql<{ merchant_id: string }, { personId: string }>(
  'merchants_of_person',
  (p) => `
    SELECT merchant_id FROM memberships WHERE person_id = ${p.personId} ORDER BY merchant_id`,
);

interface Done extends Actor {
  readonly at: Date;
  readonly command: string;
  readonly details?: object;
}

/**
 * Writes what was done to a person's account into the audit log of each of their merchants, last in the
 * transaction, and in the order of ids, which no change of a name alters: of two that do so one waits for the
 * other, and not both.
 */
export async function recordOfPerson(
  tx: Tx,
  personId: string,
  { details = {}, ...done }: Done,
): Promise<void> {
  for (const { merchant_id: merchantId } of await run(tx, merchantsOfPerson, { personId }))
    await recordAction(tx, { ...done, details, merchantId });
}

/** What a person does from an address. */
export const byPerson = (personId: string, { address }: { readonly address: string }): Actor => ({
  kind: 'person',
  actor: personId,
  address,
});
