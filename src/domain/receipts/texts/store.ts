import { recordAction } from '../../audit/record.ts';
import type { LanguageId } from '../../languages/languages.ts';
import { lockMerchant } from '../../merchants/store.ts';
import type { Actor, Context } from '../../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { isStandard, STANDARD, type MailName, type OwnTexts } from './kinds.ts';

/** A mail to the customers of a merchant, in a language. */
export interface MailOfMerchant {
  readonly merchantId: string;
  readonly kind: MailName;
  readonly language: LanguageId;
}

const findTexts = sql<OwnTexts, MailOfMerchant>(
  'mail_texts_of_merchant',
  (p) => `
    SELECT subject, text FROM mail_texts
    WHERE merchant_id = ${p.merchantId} AND kind = ${p.kind} AND language = ${p.language}`,
);

/** Returns what a merchant has written for a mail. */
export async function readOwnTexts(connection: Connection, mail: MailOfMerchant): Promise<OwnTexts> {
  return (await runOne(connection, findTexts, mail)) ?? STANDARD;
}

const listTexts = sql<{ kind: string; language: string }, { merchantId: string }>(
  'own_mails_of_merchant',
  (p) => `SELECT kind, language FROM mail_texts WHERE merchant_id = ${p.merchantId} ORDER BY kind, language`,
);

/** Returns the mails for which a merchant has written something. */
export async function listOwnMails(
  connection: Connection,
  merchantId: string,
): Promise<{ kind: string; language: string }[]> {
  return run(connection, listTexts, { merchantId });
}

const writeTexts = sql<never, MailOfMerchant & OwnTexts & { now: Date }>(
  'write_mail_texts',
  (p) => `
    INSERT INTO mail_texts (merchant_id, kind, language, subject, text, updated_at)
    VALUES (${p.merchantId}, ${p.kind}, ${p.language}, ${p.subject}, ${p.text}, ${p.now})
    ON CONFLICT (merchant_id, kind, language) DO UPDATE
      SET subject = excluded.subject, text = excluded.text, updated_at = excluded.updated_at`,
);

const deleteTexts = sql<never, MailOfMerchant>(
  'delete_mail_texts',
  (p) => `
    DELETE FROM mail_texts
    WHERE merchant_id = ${p.merchantId} AND kind = ${p.kind} AND language = ${p.language}`,
);

/**
 * Sets what a merchant's mail says, from the next one on, and writes down who did, with what was before. Two
 * standard texts leave nothing stored.
 */
export async function changeOwnTexts(
  { db, now }: Pick<Context, 'db' | 'now'>,
  mail: MailOfMerchant,
  after: OwnTexts,
  by: Actor,
): Promise<void> {
  const { merchantId, kind, language } = mail;
  await db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const before = await readOwnTexts(tx, mail);
    if (isStandard(after)) await run(tx, deleteTexts, mail);
    else await run(tx, writeTexts, { ...mail, ...after, now: now() });
    const details = { mail: kind, language, before, after };
    await recordAction(tx, { at: now(), ...by, merchantId, command: 'mail text changed', details });
  });
}
