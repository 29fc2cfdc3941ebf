import { Secret, TOTP } from 'otpauth';
import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { secretBoxOf } from '../../../platform/secret-box.ts';

/** What authenticator apps assume. */
const FORM = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
const SECRET_FORM = /^[A-Z2-7]{32}$/;
/** A code of the step before or after is right as well: people type slowly, and clocks differ. */
const WINDOW = 1;

/** Who an app says the code is for. */
const ISSUER = 'Payment checkout';

/** A new secret, in base 32, as people type it where they cannot scan it. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The secret that a form sends back; null: it is none of ours. */
export function totpSecretOf(text: string): string | null {
  return SECRET_FORM.test(text) ? text : null;
}

/** What an app scans. */
export function totpUrl(secret: string, email: string): string {
  return new TOTP({ ...FORM, issuer: ISSUER, label: email, secret: Secret.fromBase32(secret) }).toString();
}

/** The step that a code is of; null: it is wrong. */
export function totpStep(secret: string, code: string, now: Date): number | null {
  const totp = new TOTP({ ...FORM, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? null : Math.floor(now.getTime() / 1000 / FORM.period) + delta;
}

/** The additional data of an encrypted secret: nothing else decrypts it. */
export const totpAad = (personId: string): string => `totp of ${personId}`;

const upsertFactor = sql<
  never,
  { personId: string; now: Date; keyId: string; ciphertext: Buffer; lastStep: number }
>(
  'set_totp_factor',
  (p) => `
    INSERT INTO totp_factors (person_id, created_at, key_id, ciphertext, last_step)
    VALUES (${p.personId}, ${p.now}, ${p.keyId}, ${p.ciphertext}, ${p.lastStep})
    ON CONFLICT (person_id) DO UPDATE SET created_at = excluded.created_at, key_id = excluded.key_id,
      ciphertext = excluded.ciphertext, last_step = excluded.last_step`,
);

/** Stores a person's secret in the place of an earlier one; `lastStep` is of the code that was just used. */
export async function storeTotp(
  ctx: Pick<Context, 'config'>,
  tx: Tx,
  { personId, secret, lastStep }: { personId: string; secret: string; lastStep: number },
  now: Date,
): Promise<void> {
  const encrypted = secretBoxOf(ctx.config).encrypt(secret, totpAad(personId));
  await run(tx, upsertFactor, { personId, now, lastStep, ...encrypted });
}

const factorOfPerson = sql<{ key_id: string; ciphertext: Buffer; created_at: Date }, { personId: string }>(
  'totp_factor_of_person',
  (p) => `SELECT key_id, ciphertext, created_at FROM totp_factors WHERE person_id = ${p.personId}`,
);

const useStep = sql<{ person_id: string }, { personId: string; createdAt: Date; step: number }>(
  'use_totp_step',
  (p) => `
    UPDATE totp_factors SET last_step = ${p.step}
    WHERE person_id = ${p.personId} AND created_at = ${p.createdAt} AND last_step < ${p.step}
    RETURNING person_id`,
);

/** Whether a code is right and of a step that was not used before: of two requests with it one is right. */
export async function useTotp(
  ctx: Pick<Context, 'config'>,
  connection: Connection,
  personId: string,
  { code, now }: { code: string; now: Date },
): Promise<boolean> {
  const factor = await runOne(connection, factorOfPerson, { personId });
  if (factor === null) return false;
  const { key_id: keyId, ciphertext, created_at: createdAt } = factor;
  const secret = secretBoxOf(ctx.config).decrypt({ keyId, ciphertext }, totpAad(personId));
  const step = totpStep(secret, code, now);
  return step !== null && (await runOne(connection, useStep, { personId, createdAt, step })) !== null;
}
