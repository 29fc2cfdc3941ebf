import { setTimeZone, timeZoneOf } from '../../../domain/merchants/time-zone.ts';
import { ROLES, roleNamed, type Role } from '../../../domain/people/rights/roles.ts';
import { invite, type InvitationFault } from '../../../domain/people/members/invitations.ts';
import { mailInvitation } from '../../../domain/people/members/mail-invitation.ts';
import { resetAccount } from '../../../domain/people/recovery/reset.ts';
import { StartError } from '../../../platform/config/config.ts';
import { isLoopbackUrl } from '../../../platform/config/production.ts';
import type { Context } from '../../../platform/context.ts';
import { createMailer } from '../../../platform/mail.ts';
import { actorName } from '../actor.ts';
import { assertMerchant, setting, UsageError, type Command } from '../merchant-commands.ts';

const FAULTS = {
  badEmail: '--email is no mail address',
  isMember: 'This person is one of the merchant already',
  notOwner: 'Only an owner invites people',
  tooMany: 'The merchant has 50 open invitations: they end within 24 hours',
} as const satisfies Record<InvitationFault, string>;

/** The commands of `npm run merchants` on the desk and its people. */
export const PEOPLE_COMMANDS: Readonly<Record<string, Command>> = {
  invite: {
    needs: ['merchant', 'email'],
    takes: ['role'],
    async run(ctx, { merchant: merchantId = '', email = '', role: named = 'owner' }) {
      const role = roleOf(named);
      const { name } = await assertMerchant(ctx, merchantId);
      assertPublicUrl(ctx);
      const by = { kind: 'command', actor: actorName(ctx.config), address: null } as const;
      const invited = await invite(ctx, { merchantId, email, role }, by);
      if (typeof invited === 'string') throw new UsageError(FAULTS[invited]);
      const mailed = await mailInvitation(ctx, createMailer(ctx.config), invited, { email, role, name });
      const { id, link, expiresAt } = invited;
      return {
        merchant_id: merchantId,
        invitation_id: id,
        role,
        link,
        expires_at: expiresAt.toISOString(),
        mailed,
      };
    },
    notice: ({ email = '' }, { mailed }) =>
      `The link works once, and ends after 24 hours. ${mailed === true ? `It was mailed to ${email}.` : `No mail was sent: give it to ${email} yourself.`}`,
  },
  'set-time-zone': setting('zone', timeZoneOf, setTimeZone, 'time_zone'),
  'reset-person': {
    needs: ['email'],
    async run(ctx, { email = '' }) {
      assertPublicUrl(ctx);
      const by = { kind: 'command', actor: actorName(ctx.config), address: null } as const;
      const reset = await resetAccount(ctx, email, by);
      if (reset === null) throw new UsageError('Nobody has this mail address');
      const { personId, link, expiresAt } = reset;
      return { person_id: personId, link, expires_at: expiresAt.toISOString() };
    },
    notice: ({ email = '' }) =>
      `Password, second factors and sessions are gone. The link works once, and ends after 24 hours: give it to ${email} yourself, by a way on which you know them.`,
  },
};

/** A link begins with the address of web, which a command may not know. */
function assertPublicUrl({ config }: Context): void {
  if (config.production && isLoopbackUrl(config.publicUrl))
    throw new StartError('PUBLIC_URL is not set: the link begins with it; give that of web.');
}

export const PEOPLE_USAGE = `  invite      --merchant ID --email E [--role R]
              a link with which a person signs in to the dashboard for the first time; mailed where SMTP_URL is set
  set-time-zone --merchant ID --zone ZONE
              where the days of the dashboard's charts begin, for example Europe/Berlin
  reset-person --email E
              takes password, second factors and sessions from who has lost them; prints a link to begin again`;

export const PEOPLE_OPTIONS = `  --role         ${ROLES.join(', ')}; default: owner`;

function roleOf(text: string): Role {
  const role = roleNamed(text);
  if (role === null) throw new UsageError(`There is no role ${text}. Choose from ${ROLES.join(', ')}`);
  return role;
}
