import { fill, html } from '../../../platform/pages/html.ts';
import { badge } from '../shell/document.ts';
import { said } from '../shell/fields.ts';
import { DESK_PER_MINUTE, type DeskRoute, type Page, type SignedIn } from '../shell/route.ts';

/** The first pages: that of a person with several merchants, and that of a merchant. */
export const homeRoutes: readonly DeskRoute[] = [
  {
    name: 'home',
    method: 'get',
    path: '/dashboard',
    access: 'person',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { memberships } = visit.session;
      const [only] = memberships;
      const isOne = memberships.length === 1 && only !== undefined;
      return isOne ? { to: `/dashboard/${only.merchant_id}` } : choicePage(visit);
    },
  },
  {
    name: 'merchant home',
    method: 'get',
    path: '/dashboard/:merchant',
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    async handle({ texts, merchant, query }) {
      const { home, roles } = texts;
      const note = query.get('said') === 'confirmed' ? texts.said.confirmed : null;
      const text = fill(home.welcome, { role: roles[merchant.role] });
      return {
        title: home.title,
        main: html`${said(note)}
          <div class="card"><p>${text}</p></div>`,
      };
    },
  },
];

function choicePage({ texts, session }: SignedIn): Page {
  const { home, roles } = texts;
  const shops = session.memberships.map(
    (one) =>
      html`<li>
        <a class="card" href="/dashboard/${one.merchant_id}"
          ><bdi>${one.name}</bdi> ${badge(texts, one)} <span class="small">${roles[one.role]}</span></a
        >
      </li>`,
  );
  return {
    title: home.chooseTitle,
    main:
      shops.length === 0
        ? html`<div class="card"><p>${home.none}</p></div>`
        : html`<ul class="shops">
            ${shops}
          </ul>`,
  };
}
