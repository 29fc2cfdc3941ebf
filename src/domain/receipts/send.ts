import { askRefundAddress, tellRefundAddress } from '../payments/lifecycle/jobs.ts';
import { finish, reschedule } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Job } from '../schedule/job.ts';
import { messageOf } from '../../platform/log.ts';
import type { Mail, Mailer } from '../../platform/mail.ts';
import { languageFor } from '../languages/languages.ts';
import { pngOf } from '../checkout/appearance/encode-logo.ts';
import { readLogo } from '../checkout/appearance/store.ts';
import type { Db } from '../../platform/postgres/db.ts';
import { LOGO_NAME } from './html-mail.ts';
import type { ReceiptData } from './template.ts';
import { readOwnTexts } from './texts/store.ts';
import { readReceipt, type AddressedMail, type MailConfig } from './receipt-data.ts';
import { readAddressNotice, readAddressRequest, readRefundRequest } from './request-data.ts';
import { sendAddressRequest, sendReceipt } from './jobs.ts';
import { receiptMail } from './render.ts';
import { faultOf, retryAfter } from './retry.ts';
import {
  addressNoticeLog,
  addressRequestLog,
  MAX_TEST_MAILS,
  mayMailTest,
  receiptLog,
  refundRequestLog,
  type MailLog,
} from './store.ts';

/**
 * Longer than any attempt: each of its steps has 15 s. The receipt of a worker that died waits for so long.
 */
const LEASE_SECONDS = 300;

/** Sends customers mails of one kind, by the keys of their events or addresses. */
type SendMails = (
  ctx: Context,
  adapters: { mailer: Mailer | null },
  keys: readonly string[],
) => Promise<void>;

/** A kind of mail to customers, one for each event, refund or address that is a reason for it. */
interface MailKind {
  readonly name: string;
  /** The beginning of its Message-IDs. */
  readonly prefix: string;
  readonly job: Job;
  readonly log: MailLog;
  /** Null: there is nothing to write, or nobody to write to. */
  readonly read: (db: Db, key: string, config: MailConfig, now: Date) => Promise<AddressedMail | null>;
}

/**
 * Sends customers the receipts of events, one mail for each event, without a transaction; no mail server
 * configured: sends nothing.
 *
 * At least once: a receipt that was leased and not marked is sent again when its lease ends. A worker that
 * dies between the server's reply and `markSent`, or a reply that never comes, makes a second copy; the other
 * order could make no receipt at all, which is worse for a customer who has paid. Both copies have one
 * Message-ID, by which mailboxes recognise a duplicate.
 *
 * A failed attempt does not throw: each receipt has its own retry schedule, and neither the job's other
 * receipts nor a request that advances a test clock may fail because of it.
 */
export const sendReceipts = senderOf({
  name: 'receipt',
  prefix: 'receipt',
  job: sendReceipt,
  log: receiptLog,
  read: readReceipt,
});

/**
 * Tells the customers of events, as `sendReceipts` does, that their money was too little or came too late. A
 * mail of which nothing is left by the time of sending is given up: it is read at each attempt.
 */
export const sendAddressRequests = senderOf({
  name: 'address request',
  prefix: 'address-request',
  job: sendAddressRequest,
  log: addressRequestLog,
  read: readAddressRequest,
});

/** Asks customers, as `sendReceipts` does, for the addresses that their refunds wait for, by these. */
export const sendRefundRequests = senderOf({
  name: 'refund request',
  prefix: 'refund-request',
  job: askRefundAddress,
  log: refundRequestLog,
  read: readRefundRequest,
});

/**
 * Tells customers, as `sendReceipts` does, which address was given for refunds, by the addresses' keys:
 * whoever has the link of a page can give one.
 */
export const sendAddressNotices = senderOf({
  name: 'address notice',
  prefix: 'refund-address',
  job: tellRefundAddress,
  log: addressNoticeLog,
  read: readAddressNotice,
});

function senderOf(kind: MailKind): SendMails {
  return async (ctx, { mailer }, keys) => {
    for (const key of keys)
      if (mailer === null) await drop(ctx, kind, key, 'no mail server is configured', ctx.now());
      else await sendOne(ctx, mailer, kind, key);
  };
}

/** Records why a mail is not sent, and ends its job. */
async function drop(ctx: Context, kind: MailKind, key: string, why: string, startedAt: Date): Promise<void> {
  await kind.log.discard(ctx.db, key, why, ctx.now());
  await finish(ctx.db, kind.job, [key], startedAt);
}

async function sendOne(ctx: Context, mailer: Mailer, kind: MailKind, key: string): Promise<void> {
  const startedAt = ctx.now();
  const attempt = await kind.log.lease(
    ctx.db,
    key,
    ctx.systemNow(),
    addSeconds(ctx.systemNow(), LEASE_SECONDS),
  );
  // The worker with the lease finishes the job; if it dies, the job runs again when the lease ends.
  if (attempt === 'busy') return;
  if (attempt === 'over') return finish(ctx.db, kind.job, [key], startedAt);
  const found = await kind.read(ctx.db, key, ctx.config, ctx.now());
  if (found === null) return drop(ctx, kind, key, 'nothing to ask or to report any more', startedAt);
  const { merchantId } = found;
  const { paymentId, isTest } = found.receipt;
  // Counted once: what the mail server did not accept is sent again.
  if (isTest && attempt === 1 && !(await mayMailTest(ctx.db, merchantId, ctx.systemNow()))) {
    ctx.log.warn(`${kind.name} not sent: test payments have had their mails of today`, {
      payment_id: paymentId,
      merchant_id: merchantId,
      limit: MAX_TEST_MAILS,
    });
    return drop(ctx, kind, key, `more than ${MAX_TEST_MAILS} mails of test payments today`, startedAt);
  }
  try {
    const mail = await writeMail(ctx.db, found);
    await mailer.send({ ...mail, id: `${kind.prefix}.${key}`, date: ctx.systemNow() });
  } catch (error) {
    return retryOrGiveUp(ctx, kind, { key, paymentId, attempt, startedAt }, error);
  }
  await kind.log.markSent(ctx.db, key, ctx.now());
  await finish(ctx.db, kind.job, [key], startedAt);
  ctx.log.info(`${kind.name} sent`, { payment_id: paymentId, event_id: key });
}

/** The mail as its customer gets it, with the logo of its merchant, and what they have written for it. */
export async function writeMail(db: Db, { to, language, merchantId, receipt }: AddressedMail): Promise<Mail> {
  const images = await imagesOf(db, receipt);
  const logo = images.length === 0 ? null : receipt.logo;
  const reader = languageFor(language ?? undefined);
  const own = await readOwnTexts(db, { merchantId, kind: receipt.kind, language: reader.id });
  return { to, ...receiptMail({ ...receipt, logo }, reader, own), images, isAutomatic: true };
}

/** The merchant's logo, which may have changed since the mail was read. */
async function imagesOf(db: Db, { logo }: ReceiptData): Promise<NonNullable<Mail['images']>> {
  const stored = logo === null ? null : await readLogo(db, logo.id);
  return stored === null ? [] : [{ name: LOGO_NAME, type: 'image/png', content: await pngOf(stored) }];
}

async function retryOrGiveUp(
  ctx: Context,
  kind: MailKind,
  tried: { key: string; paymentId: string; attempt: number; startedAt: Date },
  error: unknown,
): Promise<void> {
  const { key, paymentId, attempt, startedAt } = tried;
  const fault = faultOf(error);
  const seconds = retryAfter(attempt, fault);
  await kind.log.markFailed(ctx.db, key, messageOf(error), seconds === null ? ctx.now() : null);
  ctx.log.warn(seconds === null ? `${kind.name} given up` : `${kind.name} failed; it will be sent again`, {
    ...(seconds === null ? {} : { retry_seconds: seconds }),
    payment_id: paymentId,
    event_id: key,
    attempt,
    code: fault.code,
    command: fault.command,
    response_code: fault.responseCode,
  });
  if (seconds === null) return finish(ctx.db, kind.job, [key], startedAt);
  const runAt = addSeconds(ctx.now(), seconds);
  await reschedule(ctx.db, kind.job, key, { startedAt, runAt, testClock: ctx.testClock });
}
