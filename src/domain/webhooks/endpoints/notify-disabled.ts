import { finish } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { mailerOf } from '../../../platform/mail.ts';
import { notifyDisabled } from './jobs.ts';
import type { DisableReason } from './disable.ts';

/** A mail server that takes nothing for so long is given up: the merchant finds the state at GET /v1/webhooks/config. */
const GIVEN_UP_AFTER_SECONDS = 3 * 86_400;

const disabledEndpoint = sql<{
  name: string;
  contact_email: string;
  url: string;
  disabled_at: Date;
  disabled_reason: DisableReason;
}>(
  'switched_off_endpoint',
  `SELECT m.name, m.contact_email, coalesce(nullif(substr(e.id, length(m.id) + 2), ''), m.webhook_url, '') AS url, e.disabled_at,
     e.disabled_reason
   FROM webhook_endpoints e JOIN merchants m ON m.id = e.merchant_id
   WHERE e.id = $1 AND e.disabled_at IS NOT NULL AND m.contact_email IS NOT NULL`,
);

const BECAUSE: Readonly<Record<DisableReason, string>> = {
  gone: 'It answered 410 Gone.',
  failing: 'Every attempt of the last five days has failed.',
};

/**
 * Tells a merchant by mail that an endpoint was switched off, at least once; throws while the mail server does not take it. Nothing is
 * sent where no mail server is set, or where the endpoint was switched on again meanwhile.
 */
export async function sendDisabledNotice(ctx: Context, endpointId: string): Promise<void> {
  const mailer = mailerOf(ctx.config);
  const [endpoint] = await run(ctx.db, disabledEndpoint, [endpointId]);
  const isWorthIt =
    endpoint !== undefined && addSeconds(endpoint.disabled_at, GIVEN_UP_AFTER_SECONDS) > ctx.now();
  if (mailer !== null && isWorthIt) {
    const { name, contact_email: to, url, disabled_reason: because, disabled_at: at } = endpoint;
    await mailer.send({
      to,
      subject: `Webhooks of ${name} are switched off`,
      text: [
        `Your webhook endpoint was switched off at ${at.toISOString()}:`,
        `  ${url}`,
        BECAUSE[because],
        '',
        'Payments go on, and their events are recorded. When the endpoint works again, switch it on with PUT /v1/webhooks/config, and',
        'have what was missed delivered with POST /v1/webhooks/redeliver.',
      ].join('\n'),
    });
    ctx.log.info('merchant told that an endpoint is switched off', { endpoint_id: endpointId });
  }
  await finish(ctx.db, notifyDisabled, [endpointId], ctx.now());
}
