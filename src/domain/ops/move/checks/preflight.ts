import type { Context } from '../../../../platform/context.ts';
import type { Connection } from '../../../../platform/postgres/db.ts';
import { LIVE_CHAIN_KEY } from '../../../chain/chain-key.ts';
import type { NetworkId } from '../../../chain/networks.ts';
import { findForm } from '../../../chain/wallets/kinds.ts';
import { listWallets, type Wallet } from '../../../chain/wallets/store.ts';
import { isUnderWay, statusesThat } from '../../../payments/lifecycle/states.ts';
import { findUnread } from '../../health/networks.ts';
import type { Ends } from '../copy.ts';
import { ask } from '../tables/rows.ts';
import { MoveRefused, readMove } from '../steps.ts';
import { assertNoObstacle } from './obstacles.ts';

const GONE_AFTER_SECONDS = 60;

/** What tells by which time a network is read. The two cells have one profile of chains. */
type Readers = Pick<Context, 'config' | 'systemNow'>;

/** Throws MoveRefused where a merchant cannot move now, and says what to do about it. Writes nothing. */
export async function assertMovable(
  ctx: Readers,
  { source, target }: Ends,
  merchantId: string,
): Promise<void> {
  await assertOtherDatabase({ source, target });
  const [merchant] = await ask(source, 'SELECT id FROM merchants WHERE id = $1', [merchantId]);
  if (merchant === undefined) throw new MoveRefused(`There is no merchant ${merchantId}`);
  const there = await ask(target, 'SELECT id FROM merchants WHERE id = $1', [merchantId]);
  // One that has left the target comes back to its keys, which were kept to refuse whoever still used them.
  if (there.length > 0 && (await readMove(target, merchantId))?.step !== 'forgotten')
    throw new MoveRefused(`${merchantId} is in the target already`);
  await assertFree(ctx, { source, target }, merchantId);
}

/**
 * The same of what may change while payments are copied early: it is asked again before writes stop. Throws
 * MoveRefused.
 */
export async function assertFree(ctx: Readers, { source, target }: Ends, merchantId: string): Promise<void> {
  await assertNoObstacle(source, merchantId);
  await assertKeys({ source, target }, merchantId);
  await assertPeople({ source, target }, merchantId);
  await assertWallets({ source, target }, merchantId);
  await assertNetworks(ctx, { source, target }, merchantId);
}

async function assertOtherDatabase({ source, target }: Ends): Promise<void> {
  const identity = `SELECT array_agg(epoch ORDER BY number)::text || coalesce(cluster_identifier(), 0)
    || current_database() AS id FROM feed_epochs`;
  const [[here], [there]] = [
    await ask<{ id: string }>(source, identity),
    await ask<{ id: string }>(target, identity),
  ];
  if (here?.id === there?.id) throw new MoveRefused('The target is the database that the merchant is in');
  const schema = 'SELECT array_agg(name ORDER BY name)::text AS id FROM schema_migrations';
  const [[mine], [other]] = [
    await ask<{ id: string }>(source, schema),
    await ask<{ id: string }>(target, schema),
  ];
  if (mine?.id !== other?.id)
    throw new MoveRefused('The two cells are not of one release: release both first');
}

/** What is encrypted and signed moves as it is: whoever serves the target must know the keys. */
async function assertKeys({ source, target }: Ends, merchantId: string): Promise<void> {
  const [used] = await ask<{ ids: string[] }>(
    source,
    `SELECT ARRAY(
       SELECT key_id FROM webhook_secrets WHERE merchant_id = $1
       UNION SELECT key_id FROM webhook_signing_keys WHERE merchant_id = $1
       UNION SELECT s.key_id FROM endpoint_secrets s JOIN endpoint_registrations e ON e.id = s.endpoint_id
         WHERE e.merchant_id = $1
       UNION SELECT key_id FROM wallets WHERE merchant_id = $1
       UNION SELECT key_id FROM exchange_accounts WHERE merchant_id = $1
       UNION SELECT key_id FROM exchange_addresses WHERE merchant_id = $1
       UNION SELECT key_id FROM totp_factors f JOIN memberships m USING (person_id) WHERE m.merchant_id = $1
     ) AS ids`,
    [merchantId],
  );
  const lacking = await ask<{ kind: string }>(
    target,
    `SELECT DISTINCT kind FROM processes
     WHERE beat_at > clock_timestamp() - interval '${GONE_AFTER_SECONDS} seconds' AND NOT key_ids @> $1::text[]`,
    [used?.ids ?? []],
  );
  if (lacking.length > 0)
    throw new MoveRefused(
      'SECRETS_KEY of the target lacks the key of the merchant: give its processes both keys, with a comma, first',
    );
}

/** A person is one in all cells by their id. */
async function assertPeople({ source, target }: Ends, merchantId: string): Promise<void> {
  const people = await ask<{ id: string; email_folded: string }>(
    source,
    `SELECT p.id, p.email_folded FROM people p JOIN memberships m ON m.person_id = p.id WHERE m.merchant_id = $1`,
    [merchantId],
  );
  const others = await ask(
    target,
    `SELECT t.id FROM people t JOIN json_to_recordset($1::json) AS s (id text, email_folded text)
       ON s.email_folded = t.email_folded COLLATE "C" AND s.id <> t.id`,
    [JSON.stringify(people)],
  );
  if (others.length > 0)
    throw new MoveRefused(
      `${others.length} people of the merchant have another account in the target: remove them from the merchant, ` +
        'and invite them there after the move',
    );
}

/**
 * An address is of one payment. Who set the key of one account in two cells has addresses that both have
 * given out.
 */
async function assertWallets({ source, target }: Ends, merchantId: string): Promise<void> {
  const others = (await listWallets(target, null)).filter((one) => one.merchant_id !== merchantId);
  for (const own of await listWallets(source, merchantId)) {
    const account = usedAccountOf(own);
    const other = others.find((one) => account !== null && usedAccountOf(one) === account);
    if (other !== undefined)
      throw new MoveRefused(
        `The wallet ${other.id} of the target has the addresses of ${own.id}: payments of both would have ` +
          'them, so such a merchant stays',
      );
  }
}

/** What wallets with the same addresses have alike, once payments may have one; null: nothing. */
function usedAccountOf(wallet: Wallet): string | null {
  const account = findForm(wallet)?.account(wallet.public_data) ?? null;
  return account === null || wallet.confirmed_at === null ? null : `${wallet.family} ${account}`;
}

/**
 * Deposits of a network that nobody reads in the target would never be found there. That it was read once
 * says nothing: a watcher may have ended long ago.
 */
async function assertNetworks(ctx: Readers, { source, target }: Ends, merchantId: string): Promise<void> {
  const unread = await findUnread({ ...ctx, db: target }, await networksOf(source, merchantId));
  if (unread.length > 0)
    throw new MoveRefused(
      `No watcher of the target reads ${unread.map(({ network }) => network).join(', ')}, ` +
        'where the merchant takes money: read it there, or forget one that is given up in the source',
    );
}

/**
 * The real networks of a merchant's payments, but for those that the source has forgotten (forget-chain.ts):
 * money that comes there to payments that have ended was not seen before the move either.
 */
async function networksOf(source: Connection, merchantId: string): Promise<NetworkId[]> {
  const rows = await ask<{ network: NetworkId }>(
    source,
    `SELECT q.network FROM payments p JOIN quotes q ON q.payment_id = p.id
       LEFT JOIN chain_cursors c ON c.chain = ${LIVE_CHAIN_KEY('q.network')}
     WHERE p.merchant_id = $1 AND (p.wallet_id IS NOT NULL OR p.exchange IS NOT NULL)
       AND (c.chain IS NOT NULL OR p.status IN (${statusesThat(isUnderWay)}))
     GROUP BY q.network ORDER BY q.network`,
    [merchantId],
  );
  return rows.map(({ network }) => network);
}
