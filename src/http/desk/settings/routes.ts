import type { AdaptersByMode } from '../../../domain/payments/lifecycle/ports.ts';
import { may } from '../../../domain/people/rights/roles.ts';
import type { Mailer } from '../../../platform/mail.ts';
import { html } from '../../../platform/pages/html.ts';
import { cardLinks, said } from '../shell/fields.ts';
import { DESK_PER_MINUTE, type DeskRoute } from '../shell/route.ts';
import { appearanceRoutes } from './appearance/routes.ts';
import { mailRoutes } from './mails/routes.ts';
import { methodRoutes } from './methods/routes.ts';
import { policyRoutes } from './policy/routes.ts';
import { walletRoutes } from './wallets/routes.ts';
import { SECTIONS, settingsPath } from './shared/menu.ts';

/** The settings of a merchant. */
export const settingsRoutes = (adapters: AdaptersByMode, mailer: Mailer | null): readonly DeskRoute[] => [
  {
    name: 'settings',
    method: 'get',
    path: '/dashboard/:merchant/settings',
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { texts, merchant } = visit;
      const { settings } = texts;
      const isConfirmed = visit.query.get('said') === 'confirmed';
      const sections = SECTIONS.filter(({ right }) => may(merchant.role, right));
      const link = (to: string, label: string, about: string) =>
        [to, html`${label} <span class="small">${about}</span>`] as const;
      return {
        title: settings.title,
        main: html`${said(isConfirmed ? texts.said.confirmed : null)}
        ${cardLinks([
          ...sections.map(({ section: one }) =>
            link(settingsPath(visit, one), settings.sections[one], settings.about[one]),
          ),
          ...(['people', 'exports'] as const).map((tab) =>
            link(`/dashboard/${merchant.merchant_id}/${tab}`, texts.tabs[tab], settings.about[tab]),
          ),
        ])}`,
      };
    },
  },
  ...methodRoutes(adapters),
  ...policyRoutes,
  ...appearanceRoutes(adapters),
  ...mailRoutes(adapters, mailer),
  ...walletRoutes(adapters),
];
