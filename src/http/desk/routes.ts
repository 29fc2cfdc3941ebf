import type { Adapters } from '../../domain/adapters.ts';
import type { Sandbox } from '../../domain/sandbox/test-clock/sandbox.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Mailer } from '../../platform/mail.ts';
import { accountRoutes } from './account/routes.ts';
import { developerRoutes } from './developers/routes.ts';
import { passkeyRoutes } from './entry/passkeys.ts';
import { recoveryRoutes } from './entry/recovery.ts';
import { entryRoutes, linkRoutes } from './entry/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { ExportSlots } from './exports/slots.ts';
import { homeRoutes } from './home/routes.ts';
import { linkPageRoutes } from './links/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import { auditRoutes } from './people/audit.ts';
import { peopleRoutes } from './people/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import type { DeskRoute } from './shell/route.ts';
import { tillRoutes } from './tills/routes.ts';

/** What pages depend on besides the database. */
export interface DeskDependencies {
  readonly mailer: Mailer | null;
  readonly adapters: Adapters;
  /** Null: the sandbox is off. */
  readonly sandbox: Sandbox | null;
}

/** The desk on one page. Literal paths stand before those with parameters. */
export function deskRoutes(
  { production }: Pick<Config, 'production'>,
  { mailer, adapters, sandbox }: DeskDependencies,
): readonly DeskRoute[] {
  const slots = new ExportSlots();
  return [
    ...entryRoutes,
    ...passkeyRoutes,
    ...recoveryRoutes(mailer),
    // Whoever could write to the database could sign in as anybody, without a second factor.
    ...(production ? [] : linkRoutes),
    ...accountRoutes,
    ...homeRoutes,
    ...paymentRoutes({ adapters, sandbox }),
    ...tillRoutes,
    ...developerRoutes(adapters.webhooks, sandbox),
    ...peopleRoutes(mailer),
    ...auditRoutes(slots),
    ...exportRoutes(slots),
    ...linkPageRoutes,
    ...settingsRoutes(adapters, mailer),
  ];
}
