import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Mailer } from '../../../platform/mail.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { deskUrl } from '../../../platform/values/cells.ts';
import { tellClone } from './jobs.ts';

const passkeyOfId = sql<{ email: string; name: string }, { id: string }>(
  'person_of_passkey',
  (p) => `
    SELECT who.email, k.name FROM passkeys k JOIN people who ON who.id = k.person_id WHERE k.id = ${p.id}`,
);

/**
 * Tells a person by mail that a passkey of theirs was refused because its counter went back, at least once;
 * throws while the mail server does not accept the mail. Sends nothing where no mail server is configured, or
 * where the passkey was removed meanwhile.
 */
export async function sendCloneNotice(
  ctx: Context,
  { mailer }: { mailer: Mailer | null },
  key: string,
): Promise<void> {
  const [id = '', address = ''] = key.split(' ');
  const passkey = await runOne(ctx.db, passkeyOfId, { id });
  if (mailer !== null && passkey !== null) {
    await mailer.send({
      to: passkey.email,
      subject: 'A passkey of yours was refused',
      text: [
        `Your passkey "${passkey.name}" was used, and refused: its counter went back, as if somebody had`,
        `copied it. It was used from ${address}.`,
        '',
        'Remove it, and make another one:',
        deskUrl(ctx.config, '/dashboard/account'),
      ].join('\n'),
      id: `clone.${id}`,
      isAutomatic: true,
    });
    ctx.log.info('person told of a cloned passkey', { passkey_id: id });
  }
  await finish(ctx.db, tellClone, [key], ctx.now());
}
