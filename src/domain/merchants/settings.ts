import { recordAction } from '../audit/record.ts';
import type { PolicyChoice } from '../payments/lifecycle/policy.ts';
import type { Actor, Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/postgres/db.ts';
import { readAcceptedMethods, setAcceptedMethods, type AcceptedMethod } from './accepted-methods.ts';
import { lockMerchant, readSettings, setPolicy } from './store.ts';

/** Returns where the merchant's new payments differ from the service's defaults. */
export async function readPolicy(connection: Connection, merchantId: string): Promise<PolicyChoice> {
  return (await readSettings(connection, merchantId))?.policy ?? {};
}

/** Sets the policy of a merchant's new payments, and writes down who did, with what was before. */
export async function changePolicy(
  { db, now }: Pick<Context, 'db' | 'now'>,
  merchantId: string,
  after: PolicyChoice,
  by: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const before = await readPolicy(tx, merchantId);
    await setPolicy(tx, merchantId, after);
    const details = { before, after };
    await recordAction(tx, { at: now(), ...by, merchantId, command: 'policy changed', details });
  });
}

/** Sets what a merchant's live payments take beside the settlement coin, and writes down who did. */
export async function changeAcceptedMethods(
  { db, now }: Pick<Context, 'db' | 'now'>,
  merchantId: string,
  methods: readonly AcceptedMethod[],
  by: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const [before, after] = [await readAcceptedMethods(tx, merchantId), methods];
    await setAcceptedMethods(tx, merchantId, after);
    const details = { before, after };
    await recordAction(tx, { at: now(), ...by, merchantId, command: 'accepted methods changed', details });
  });
}
