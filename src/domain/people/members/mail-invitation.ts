import type { Context } from '../../../platform/context.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';
import type { Mailer } from '../../../platform/mail.ts';
import type { Role } from '../rights/roles.ts';
import type { Invitation } from './invitations.ts';

interface Invited {
  readonly email: string;
  readonly role: Role;
  /** The merchant's. */
  readonly name: string;
}

/**
 * Mails an invitation's link, whose token nothing stores: who invites waits for the mail server, and gives
 * the link on by themselves where it does not accept the mail. Returns whether it has; false also where no
 * mail server is configured.
 */
export async function mailInvitation(
  { log }: Pick<Context, 'log'>,
  mailer: Mailer | null,
  { id, link, expiresAt }: Invitation,
  { email, role, name }: Invited,
): Promise<boolean> {
  if (mailer === null) return false;
  try {
    await mailer.send({
      to: email,
      subject: `You are invited to the dashboard of ${name}`,
      text: [
        `You are invited to the dashboard of ${name}, as ${role}. The link works once:`,
        '',
        link,
        '',
        `It ends at ${expiresAt.toISOString()}. If you expect no invitation, do nothing.`,
      ].join('\n'),
      id: `invitation.${id}`,
      isAutomatic: true,
    });
    return true;
  } catch (error) {
    log.warn('an invitation could not be mailed', { invitation_id: id, ...faultOf(error) });
    return false;
  }
}
