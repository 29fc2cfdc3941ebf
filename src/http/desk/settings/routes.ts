import type { AdaptersByMode } from '../../../domain/payments/lifecycle/ports.ts';
import type { Mailer } from '../../../platform/mail.ts';
import { html } from '../../../platform/pages/html.ts';
import { DESK_PER_MINUTE, type DeskRoute } from '../shell/route.ts';
import { appearanceRoutes } from './appearance/routes.ts';
import { mailRoutes } from './mails/routes.ts';
import { methodRoutes } from './methods/routes.ts';
import { policyRoutes } from './policy/routes.ts';
import { walletRoutes } from './wallets/routes.ts';
import { sectionsOf, settingsPath } from './shared/menu.ts';

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
      const { settings, said } = visit.texts;
      const note = visit.query.get('said') === 'confirmed' ? said.confirmed : null;
      return {
        title: settings.title,
        main: html`${note === null ? null : html`<p class="said" role="status">${note}</p>`}
          <ul class="shops">
            ${sectionsOf(visit).map(
              (section) =>
                html`<li>
                  <a class="card" href="${settingsPath(visit, section)}"
                    >${settings.sections[section]} <span class="small">${settings.about[section]}</span></a
                  >
                </li>`,
            )}
            ${(['people', 'exports'] as const).map(
              (tab) =>
                html`<li>
                  <a class="card" href="/dashboard/${visit.merchant.merchant_id}/${tab}"
                    >${visit.texts.tabs[tab]} <span class="small">${settings.about[tab]}</span></a
                  >
                </li>`,
            )}
          </ul>`,
      };
    },
  },
  ...methodRoutes(adapters),
  ...policyRoutes,
  ...appearanceRoutes(adapters),
  ...mailRoutes(adapters, mailer),
  ...walletRoutes(adapters),
];
