import { changeTimeZone, timeZoneOf } from '../../../domain/merchants/time-zone.ts';
import { readFacts } from '../../../domain/overview/facts.ts';
import { fill, html } from '../../../platform/pages/html.ts';
import { badge } from '../shell/document.ts';
import { cardLinks, said } from '../shell/fields.ts';
import {
  actorOf,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskRoute,
  type Page,
  type SignedIn,
} from '../shell/route.ts';
import { figuresCard } from './figures-card.ts';
import { needPage, needsCard } from './needs.ts';
import { firstSteps } from './steps.ts';
import { TIME_ZONE_RIGHT, timeZoneCard } from './time-zone.ts';

const HOME = '/dashboard/:merchant';

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
    path: HOME,
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => homePage(visit, null),
  },
  {
    name: 'waiting',
    method: 'get',
    path: `${HOME}/waiting/:need`,
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const facts = await readFacts(visit.ctx.db, visit.merchant.merchant_id);
      return needPage(visit, facts.networks);
    },
  },
  {
    name: 'time zone',
    method: 'post',
    path: `${HOME}/settings/time-zone`,
    access: 'member',
    right: TIME_ZONE_RIGHT,
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { ctx, merchant, texts } = visit;
      try {
        await changeTimeZone(ctx, merchant.merchant_id, timeZoneOf(visit.field('time_zone')), actorOf(visit));
        return { to: `/dashboard/${merchant.merchant_id}?said=timeZone` };
      } catch (error) {
        if (error instanceof RangeError) return homePage(visit, texts.home.zone.unknown);
        throw error;
      }
    },
  },
];

/** The page of a merchant; `fault`: what is wrong with the time zone that was chosen. */
async function homePage(visit: AtMerchant, fault: string | null): Promise<Page> {
  const { ctx, texts, merchant, query } = visit;
  const { networks, has_payments, time_zone } = await readFacts(ctx.db, merchant.merchant_id);
  const note = query.get('said');
  const text = note === 'confirmed' || note === 'timeZone' ? texts.said[note] : null;
  return {
    title: texts.home.title,
    status: fault === null ? 200 : 400,
    main: html`${said(text)} ${await needsCard(visit, networks)}
      ${has_payments ? await figuresCard(visit, time_zone) : firstSteps(visit)}
      ${timeZoneCard(visit, time_zone, fault)}
      <p class="small">${fill(texts.home.welcome, { role: texts.roles[merchant.role] })}</p>`,
  };
}

function choicePage({ texts, session }: SignedIn): Page {
  const { home, roles } = texts;
  const shops = session.memberships.map(
    (one) =>
      [
        `/dashboard/${one.merchant_id}`,
        html`<bdi>${one.name}</bdi> ${badge(texts, one)} <span class="small">${roles[one.role]}</span>`,
      ] as const,
  );
  return {
    title: home.chooseTitle,
    main: shops.length === 0 ? html`<div class="card"><p>${home.none}</p></div>` : cardLinks(shops),
  };
}
