import { networksOf } from '../chain/wallets/families.ts';
import { IS_IN_USE, type Wallet } from '../chain/wallets/store.ts';
import { finish, schedule } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql, type Tx } from '../../platform/postgres/db.ts';
import type { Mailer } from '../../platform/mail.ts';
import { tellWallet } from './jobs.ts';
import { toResource } from './list.ts';

/** What happened to a wallet. */
const CHANGES = {
  set: 'A wallet was set for your live payments. It is used once it is confirmed.',
  confirmed: 'A wallet was confirmed: new live payments go to it.',
  retired: 'A wallet was retired: new live payments no longer go to it.',
} as const;
export type WalletChange = keyof typeof CHANGES;

/** A notice that no mail server accepts for this long is dropped: GET /v1/wallets shows the state as well. */
const DROPPED_AFTER_SECONDS = 3 * 86_400;

// Where mails of a merchant go today. The default is that of the live merchants without a wallet of their own
// who take money on its networks.
const addressees = sql<
  { id: string },
  { merchantId: string | null; family: string; networks: readonly string[] }
>(
  'addressees_of_wallet',
  (p) => `
    SELECT m.id FROM merchants m
    WHERE m.contact_email IS NOT NULL AND (m.id = ${p.merchantId}
      OR ${p.merchantId}::text IS NULL AND m.mode = 'live'
        AND (m.settlement_network = ANY (${p.networks}) OR EXISTS (
          SELECT FROM jsonb_array_elements(m.accepted_methods) AS a
          WHERE a->>'network' = ANY (${p.networks})))
        AND NOT EXISTS (
          SELECT FROM wallets w WHERE w.merchant_id = m.id AND w.family = ${p.family} AND ${IS_IN_USE}))`,
);

/**
 * Schedules the mails about a change of a wallet, with the change: to its merchant, or to those that use the
 * default. Returns how many.
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
      key: `${id} ${change} ${to.id}`,
      runAt: now,
      testClock: null,
      merchantId: to.id,
    })),
  );
  return found.length;
}

const readChanged = sql<Wallet & { name: string; contact_email: string }, { id: string; merchantId: string }>(
  'read_changed_wallet',
  (p) => `
    SELECT w.*, m.name, m.contact_email
    FROM wallets w JOIN merchants m ON m.id = ${p.merchantId}
    WHERE w.id = ${p.id} AND m.contact_email IS NOT NULL`,
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
  const [id = '', change = '', merchantId = ''] = key.split(' ');
  const [wallet] = await run(ctx.db, readChanged, { id, merchantId });
  const at = wallet && timeOf(wallet, change);
  if (mailer !== null && wallet !== undefined && at && addSeconds(at, DROPPED_AFTER_SECONDS) > ctx.now()) {
    const { name, contact_email: to, kind } = wallet;
    const { public_key, treasury, unaudited } = toResource(ctx.config, wallet);
    const whose = wallet.merchant_id === null ? ', of the service, for merchants without one' : '';
    await mailer.send({
      to,
      subject: `A wallet of ${name} was ${change}`,
      text: [
        CHANGES[change as WalletChange],
        '',
        `  wallet  ${id} (${kind}${unaudited ? ', unaudited' : ''}${whose})`,
        `  to      ${public_key ?? treasury ?? 'unknown: the wallet was changed since'}`,
        `  at      ${at.toISOString()}`,
        '',
        'If you do not know of this, call the operator at once:',
        "your customers' money goes there.",
        'The operator alone changes wallets. GET /v1/wallets shows yours.',
      ].join('\n'),
      id: key.replaceAll(' ', '.'),
      isAutomatic: true,
    });
    ctx.log.info('merchant notified of a changed wallet', { wallet_id: id, merchant_id: merchantId });
  }
  await finish(ctx.db, tellWallet, [key], ctx.now());
}

function timeOf({ created_at, confirmed_at, retired_at }: Wallet, change: string): Date | null {
  if (change === 'set') return created_at;
  return change === 'confirmed' ? confirmed_at : retired_at;
}
