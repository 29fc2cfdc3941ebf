import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Mailer } from '../../../platform/mail.ts';
import { deskUrl } from '../../../platform/values/cells.ts';
import { hashApiKey, newToken } from '../../../platform/values/ids.ts';
import { mailPasswordLink } from './jobs.ts';
import { deleteLink, findAsked, storeToken } from './links.ts';

/** The page of a link. */
export const passwordLink = ({ config }: Pick<Context, 'config'>, token: string): string =>
  deskUrl(config, `/dashboard/passwords/${token}`);

/**
 * Mails a link that was asked for, at least once: a second mail holds another link, and the first works no
 * more. Throws while the mail server does not accept the mail. Where nobody has the address, or the link has
 * ended meanwhile, it is deleted.
 */
export async function sendPasswordLink(
  ctx: Context,
  { mailer }: { mailer: Mailer | null },
  id: string,
): Promise<void> {
  const asked = await findAsked(ctx.db, id);
  if (mailer === null || asked === null || asked.expires_at <= ctx.now()) {
    await deleteLink(ctx.db, id);
  } else {
    const token = newToken();
    await storeToken(ctx.db, id, hashApiKey(token));
    await mailer.send({
      to: asked.email,
      subject: 'Choose another password',
      text: [
        'Somebody, probably you, has asked for another password to the dashboard of your shop.',
        'This link works once:',
        '',
        passwordLink(ctx, token),
        '',
        `It ends at ${asked.expires_at.toISOString()}. Your second step is asked for afterwards.`,
        'If you did not ask for it, do nothing: your password stays as it is.',
      ].join('\n'),
      id: `password.${id}`,
      isAutomatic: true,
    });
  }
  await finish(ctx.db, mailPasswordLink, [id], ctx.now());
}
