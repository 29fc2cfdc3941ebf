import { finish } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import type { Mailer } from '../../../platform/mail.ts';
import { REGISTRATION } from './destination.ts';
import { DISABLED_AFTER_DAYS } from './flow-control.ts';
import { notifyDisabled } from './jobs.ts';
import type { DisableReason } from './schemas.ts';

/**
 * A notice that no mail server accepts for this long is dropped: GET /v1/webhooks/endpoints shows the state
 * as well.
 */
const DROPPED_AFTER_SECONDS = 3 * 86_400;

interface DisabledEndpoint {
  readonly name: string;
  readonly contact_email: string;
  readonly url: string;
  readonly registration_id: string | null;
  readonly disabled_at: Date;
  readonly disabled_reason: DisableReason;
}

const readDisabled = sql<DisabledEndpoint, { endpointId: string }>(
  'read_disabled_endpoint',
  (p) => `
   SELECT m.name, m.contact_email,
     coalesce(r.url, o.url, nullif(substr(o.id, length(m.id) + 2), ''), m.webhook_url, '') AS url,
     r.id AS registration_id, o.disabled_at, o.disabled_reason
   FROM webhook_endpoints o JOIN merchants m ON m.id = o.merchant_id ${REGISTRATION}
   WHERE o.id = ${p.endpointId} AND o.disabled_at IS NOT NULL AND m.contact_email IS NOT NULL`,
);

const CAUSE: Readonly<Record<DisableReason, string>> = {
  gone: 'It answered 410 Gone.',
  failing: `Every attempt of the last ${DISABLED_AFTER_DAYS} days has failed.`,
};

/**
 * Notifies a merchant by mail that an endpoint was disabled, at least once; throws while the mail server does
 * not accept the mail. Sends nothing where no mail server is configured, or where the endpoint is enabled
 * again.
 */
export async function sendDisabledNotice(
  ctx: Context,
  { mailer }: { mailer: Mailer | null },
  endpointId: string,
): Promise<void> {
  const [endpoint] = await run(ctx.db, readDisabled, { endpointId });
  const isCurrent =
    endpoint !== undefined && addSeconds(endpoint.disabled_at, DROPPED_AFTER_SECONDS) > ctx.now();
  if (mailer !== null && isCurrent) {
    const { name, contact_email: to, url, disabled_reason: reason, disabled_at: at } = endpoint;
    const path = endpoint.registration_id === null ? 'config' : `endpoints/${endpoint.registration_id}`;
    await mailer.send({
      to,
      subject: `Webhooks of ${name} are disabled`,
      text: [
        `Your webhook endpoint was disabled at ${at.toISOString()}:`,
        `  ${url}`,
        CAUSE[reason],
        '',
        'Payments continue, and their events are recorded. When the endpoint works again, enable it with',
        `PUT /v1/webhooks/${path}, and deliver the missed events with POST /v1/webhooks/redeliver.`,
      ].join('\n'),
    });
    ctx.log.info('merchant notified of a disabled webhook endpoint', { endpoint_id: endpointId });
  }
  await finish(ctx.db, notifyDisabled, [endpointId], ctx.now());
}
