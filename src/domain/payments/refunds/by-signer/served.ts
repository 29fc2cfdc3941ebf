import type { NetworkId } from '../../../chain/networks.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { run, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { offerRefund } from '../../lifecycle/jobs.ts';
import type { Refund } from '../store.ts';

/** True where the signer pays the refunds of a merchant on a network. */
export const isServed = (
  { signerRefunds }: Pick<Config, 'signerRefunds'>,
  merchantId: string,
  network: NetworkId,
): boolean => signerRefunds.includes(`${merchantId}/${network}`);

// In one snapshot: the job is deleted behind the offer.
const offeredSoon = sql<{ id: string }, { job: string; ids: readonly string[] }>(
  'refunds_offered_soon',
  (p) => `
    SELECT id FROM refunds r WHERE id = ANY (${p.ids}) AND (offered_at IS NOT NULL
      OR EXISTS (SELECT FROM scheduled_jobs j WHERE j.job = ${p.job} AND j.key = r.id))`,
);

/**
 * Returns refunds as their merchant may see them: one that is about to be offered to the signer has nothing
 * for the merchant to sign, or both would pay it.
 */
export async function asOffered(
  connection: Connection,
  config: Pick<Config, 'signerRefunds'>,
  merchantId: string,
  refunds: readonly Refund[],
): Promise<readonly Refund[]> {
  const served = refunds.filter(
    ({ offered_at, network }) => offered_at === null && isServed(config, merchantId, network),
  );
  if (served.length === 0) return refunds;
  const ids = served.map(({ id }) => id);
  const offered = await run(connection, offeredSoon, { job: offerRefund.name, ids });
  const soon = new Set(offered.map(({ id }) => id));
  return refunds.map((one) => (soon.has(one.id) ? { ...one, offered_at: one.created_at } : one));
}
