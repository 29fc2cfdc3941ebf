import { networksOf } from '../chain/wallets/families.ts';
import { IS_IN_USE, type Wallet } from '../chain/wallets/store.ts';
import { finish, schedule } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql, type Tx } from '../../platform/postgres/db.ts';
import type { Mailer } from '../../platform/mail.ts';
import { deskUrl } from '../../platform/values/cells.ts';
import { tellWallet, useWallet } from './jobs.ts';
import { toResource } from './list.ts';

/**
 * How long a wallet that takes the place of another one waits. Who has stolen the session of an owner, and
 * their second factor, could send all money elsewhere by two forms: every owner gets a mail, and has a
 * day to withdraw it.
 */
export const WAIT_SECONDS = 86_400;

/** What happened to a wallet. */
const CHANGES = {
  set: 'A wallet was set for your live payments. It is used once it is confirmed.',
  announced: 'An owner has confirmed a wallet at the desk. It waits before new live payments go to it.',
  confirmed: 'A wallet was confirmed: new live payments go to it.',
  retired: 'A wallet was retired: new live payments no longer go to it.',
} as const;
export type WalletChange = keyof typeof CHANGES;

/** A notice that no mail server accepts for this long is dropped: GET /v1/wallets shows the state as well. */
const DROPPED_AFTER_SECONDS = 3 * 86_400;

// Where mails of a merchant go today, and each of its owners. The default is that of the live merchants
// without a wallet of their own who take money on its networks.
const addressees = sql<
  { id: string; person_id: string | null },
  { merchantId: string | null; family: string; networks: readonly string[] }
>(
  'addressees_of_wallet',
  (p) => `
    SELECT m.id, who.person_id FROM merchants m CROSS JOIN LATERAL (
      SELECT NULL AS person_id WHERE m.contact_email IS NOT NULL
      UNION ALL
      SELECT o.id FROM memberships b JOIN people o ON o.id = b.person_id
      WHERE b.merchant_id = m.id AND b.role = 'owner'
        AND lower(o.email) IS DISTINCT FROM lower(m.contact_email)
    ) who
    WHERE (m.id = ${p.merchantId}
      OR ${p.merchantId}::text IS NULL AND m.mode = 'live'
        AND (m.settlement_network = ANY (${p.networks}) OR EXISTS (
          SELECT FROM jsonb_array_elements(m.accepted_methods) AS a
          WHERE a->>'network' = ANY (${p.networks})))
        AND NOT EXISTS (
          SELECT FROM wallets w WHERE w.merchant_id = m.id AND w.family = ${p.family} AND ${IS_IN_USE}))`,
);

/**
 * Schedules the mails about a change of a wallet, with the change: to its merchant and each of its owners, or
 * to those of the merchants that use the default. Returns how many.
 */
export async function notifyOfWallet(
  tx: Tx,
  { id, merchant_id: merchantId, family }: Pick<Wallet, 'id' | 'merchant_id' | 'family'>,
  change: WalletChange,
  now: Date,
): Promise<number> {
  const found = await run(tx, addressees, { merchantId, family, networks: networksOf(family) });
  await schedule(
    tx,
    found.map((to) => ({
      job: tellWallet,
      key: [id, change, to.id, ...(to.person_id === null ? [] : [to.person_id])].join(' '),
      runAt: now,
      testClock: null,
      merchantId: to.id,
    })),
  );
  return found.length;
}

interface ChangedWallet extends Wallet {
  readonly name: string;
  /** Null: nobody is notified there any more. */
  readonly recipient: string | null;
  /** From when on it is used; null: it does not wait. */
  readonly due: Date | null;
}

// An owner when it was changed is notified, also where another owner has removed them since.
const readChanged = sql<
  ChangedWallet,
  { id: string; merchantId: string; personId: string | null; useJob: string }
>(
  'read_changed_wallet',
  (p) => `
    SELECT w.*, m.name, j.run_at AS due,
      CASE WHEN ${p.personId}::text IS NULL THEN m.contact_email
        ELSE (SELECT o.email FROM people o WHERE o.id = ${p.personId}) END AS recipient
    FROM wallets w JOIN merchants m ON m.id = ${p.merchantId}
      LEFT JOIN scheduled_jobs j ON j.job = ${p.useJob} AND j.key = w.id
    WHERE w.id = ${p.id}`,
);

/**
 * Tells a merchant by mail that a wallet of theirs was changed, at least once; throws while the mail server
 * does not accept the mail. Sends nothing where no mail server is configured.
 */
export async function sendWalletNotice(
  ctx: Context,
  { mailer }: { mailer: Mailer | null },
  key: string,
): Promise<void> {
  const [id = '', change = '', merchantId = '', personId = null] = key.split(' ');
  const asked = { id, merchantId, personId, useJob: useWallet.name };
  const [wallet] = await run(ctx.db, readChanged, asked);
  const at = wallet && timeOf(wallet, change);
  const isFresh = at !== undefined && at !== null && addSeconds(at, DROPPED_AFTER_SECONDS) > ctx.now();
  if (mailer !== null && wallet !== undefined && wallet.recipient !== null && isFresh) {
    const notice = noticeOf(ctx, wallet, { change: change as WalletChange, merchantId, at });
    await mailer.send({ ...notice, to: wallet.recipient, id: key.replaceAll(' ', '.'), isAutomatic: true });
    ctx.log.info('merchant notified of a changed wallet', { wallet_id: id, merchant_id: merchantId });
  }
  await finish(ctx.db, tellWallet, [key], ctx.now());
}

function noticeOf(
  { config }: Pick<Context, 'config'>,
  wallet: ChangedWallet,
  { change, merchantId, at }: { change: WalletChange; merchantId: string; at: Date },
): { subject: string; text: string } {
  const { id, name, kind, due } = wallet;
  const { public_key, treasury, unaudited } = toResource(config, wallet);
  const whose = wallet.merchant_id === null ? ', of the service, for merchants without one' : '';
  const desk = deskUrl(config, `/dashboard/${merchantId}/settings/wallets`);
  const alarm =
    change === 'announced'
      ? ['If you do not know of this, call the operator, and withdraw it at once:', desk]
      : ['If you do not know of this, call the operator at once:', "your customers' money goes there."];
  return {
    subject: `A wallet of ${name} was ${change}`,
    text: [
      CHANGES[change],
      '',
      `  wallet  ${id} (${kind}${unaudited ? ', unaudited' : ''}${whose})`,
      `  to      ${public_key ?? treasury ?? 'unknown: the wallet was changed since'}`,
      `  at      ${at.toISOString()}`,
      ...(change === 'announced' && due !== null ? [`  used    from ${due.toISOString()} on`] : []),
      '',
      ...alarm,
      'Owners set wallets at the desk, and the operator by a command.',
      'GET /v1/wallets shows yours.',
    ].join('\n'),
  };
}

/** Null: the change was undone, or something else has followed. */
function timeOf({ created_at, confirmed_at, retired_at, due }: ChangedWallet, change: string): Date | null {
  if (change === 'set') return created_at;
  if (change === 'announced') return due === null ? null : addSeconds(due, -WAIT_SECONDS);
  return change === 'confirmed' ? confirmed_at : retired_at;
}
