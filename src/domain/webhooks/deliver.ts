import { addSeconds, visibleAt } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql, type Connection } from '../../platform/db.ts';
import type { Exchange, ExchangeResult } from './exchange.ts';
import { deliverWebhook } from './jobs.ts';
import { nextAttemptAt } from './retry.ts';
import { secretBoxOf } from './secrets.ts';
import { signatureHeaders } from './sign.ts';

/** Time beyond the exchange's deadline within which its outcome is surely recorded; after it another run may post again. */
const CLAIM_MARGIN_SECONDS = 10;

/** A delivery that is ready to be sent: claimed, with its event's body, its destination and its merchant's secrets, newest first. */
interface PreparedDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly merchant_id: string;
  readonly payment_id: string;
  readonly attempts: number;
  readonly claimed_until: Date;
  readonly body: string;
  /** Null when the merchant has switched webhooks off, or has no URL any more. */
  readonly url: string | null;
  readonly secrets: readonly { key_id: string; ciphertext: string }[];
}

// The claim makes two runs of one job post once. The destination is read anew: a merchant who mends the URL mends what waits for it.
const prepareDelivery = sql<PreparedDelivery>(
  'prepare_delivery',
  `UPDATE deliveries d SET claimed_until = $3
   FROM events e, merchants m
   WHERE d.id = $1 AND d.status = 'pending' AND (d.claimed_until IS NULL OR d.claimed_until <= $2)
     AND e.id = d.event_id AND m.id = d.merchant_id
   RETURNING d.id, d.event_id, d.merchant_id, d.payment_id, d.attempts, d.claimed_until, e.body,
     coalesce($5, CASE WHEN m.webhooks_enabled THEN coalesce(e.callback_url, m.webhook_url) END) AS url,
     (SELECT json_agg(json_build_object('key_id', s.key_id, 'ciphertext', encode(s.ciphertext, 'base64')) ORDER BY s.created_at DESC)
      FROM webhook_secrets s WHERE s.merchant_id = d.merchant_id AND (s.expires_at IS NULL OR s.expires_at > $4)) AS secrets`,
);

/**
 * Makes one attempt to deliver: prepare (claim and read) -> POST -> record, with no transaction and no lock held in between.
 * The attempt is a row, whatever came of it; 2xx ends the delivery, anything else schedules the next attempt until the
 * schedule is used up. A delivery that is done, or that another run is posting, is left alone.
 */
export async function deliver(
  ctx: Context,
  exchange: Exchange,
  id: string,
  receiver: string | null = null,
): Promise<void> {
  const startedAt = ctx.now();
  const claimedUntil = addSeconds(startedAt, ctx.config.webhookTimeoutSeconds + CLAIM_MARGIN_SECONDS);
  const [delivery] = await run(ctx.db, prepareDelivery, [id, startedAt, claimedUntil, ctx.wall(), receiver]);
  if (delivery === undefined) return dropIfDone(ctx.db, id);
  const result = delivery.url === null ? SWITCHED_OFF : await post(ctx, exchange, delivery, delivery.url);
  const next = delivery.url === null || result.ok ? null : nextAttempt(ctx, delivery, result);
  await record(ctx, delivery, result, startedAt, next);
  const fields = {
    delivery_id: id,
    payment_id: delivery.payment_id,
    event_id: delivery.event_id,
    attempt: delivery.attempts + 1,
    status_code: result.statusCode,
  };
  if (result.ok) ctx.log.info('webhook delivered', fields);
  else if (next !== null)
    ctx.log.warn('webhook not delivered yet', {
      ...fields,
      error: result.errorDetail,
      next_attempt_at: next,
    });
  else ctx.log.error('webhook given up', { ...fields, error: result.errorDetail });
}

async function post(
  ctx: Context,
  exchange: Exchange,
  delivery: PreparedDelivery,
  url: string,
): Promise<ExchangeResult> {
  const box = secretBoxOf(ctx.config);
  const secrets = delivery.secrets.map(({ key_id, ciphertext }) =>
    box.open({ keyId: key_id, ciphertext: Buffer.from(ciphertext, 'base64') }, delivery.merchant_id),
  );
  const headers = signatureHeaders({
    eventId: delivery.event_id,
    body: delivery.body,
    secrets,
    now: ctx.wall(),
  });
  return exchange.post(url, headers, delivery.body);
}

function nextAttempt(ctx: Context, delivery: PreparedDelivery, result: ExchangeResult): Date | null {
  return nextAttemptAt({
    failedAttempt: delivery.attempts + 1,
    scheduleSeconds: ctx.config.webhookRetrySeconds,
    random: ctx.random(),
    retryAfter: result.retryAfter,
    now: ctx.now(),
  });
}

const SWITCHED_OFF: ExchangeResult = {
  ok: false,
  statusCode: null,
  errorClass: null,
  errorDetail: 'webhooks are switched off, or no URL is set',
  remoteAddress: null,
  durationMs: 0,
  retryAfter: null,
  excerpt: null,
};

// One statement, so one commit: the attempt, the delivery's state, and the due work moved to the next attempt or taken away. A run that
// took longer than its claim may have been overtaken by others: that it succeeded still counts, that it failed does not any more.
const recordAttempt = sql(
  'record_attempt',
  `WITH attempt AS (
     INSERT INTO delivery_attempts (delivery_id, number, url, remote_address, started_at, duration_ms, status_code, error_class,
       error_detail, response_excerpt, next_attempt_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ON CONFLICT DO NOTHING
   ), delivery AS (
     UPDATE deliveries SET attempts = greatest(attempts, $2), claimed_until = NULL, status = $12,
       finished_at = CASE WHEN $12 = 'pending' THEN NULL ELSE $13::timestamptz END
     WHERE id = $1 AND status = 'pending' AND ($12 = 'delivered' OR claimed_until = $15)
     RETURNING id
   ), moved AS (
     UPDATE due_work SET run_at = $11, visible_at = $16, failures = 0, last_error = NULL
     FROM delivery WHERE job = $14 AND key = delivery.id AND $11::timestamptz IS NOT NULL
   )
   DELETE FROM due_work USING delivery WHERE job = $14 AND key = delivery.id AND $11::timestamptz IS NULL`,
);

async function record(
  ctx: Context,
  delivery: PreparedDelivery,
  result: ExchangeResult,
  startedAt: Date,
  next: Date | null,
): Promise<void> {
  const pending = next === null ? 'failed' : 'pending';
  await run(ctx.db, recordAttempt, [
    delivery.id,
    delivery.attempts + 1,
    delivery.url ?? '',
    result.remoteAddress,
    startedAt,
    Math.round(result.durationMs),
    result.statusCode,
    result.errorClass,
    result.errorDetail,
    result.excerpt,
    next,
    result.ok ? 'delivered' : pending,
    ctx.now(),
    deliverWebhook.name,
    delivery.claimed_until,
    next && visibleAt(next, ctx.clock),
  ]);
}

const dropDone = sql(
  'drop_done_delivery',
  `DELETE FROM due_work WHERE job = $2 AND key = $1 AND NOT EXISTS (SELECT FROM deliveries WHERE id = $1 AND status = 'pending')`,
);

/** Takes the work of a delivery that is done already off the schedule; one that another run is posting stays there. */
async function dropIfDone(connection: Connection, id: string): Promise<void> {
  await run(connection, dropDone, [id, deliverWebhook.name]);
}
