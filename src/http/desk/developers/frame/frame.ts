import type { Right } from '../../../../domain/people/rights/roles.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { neighbours } from '../../shell/document.ts';
import { alert, said } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import type { DeskTexts } from '../../shell/texts.ts';

/** The pages for developers, and the right that each needs. */
const PAGES = [
  { page: 'start', path: '', right: 'webhooks:read' },
  { page: 'keys', path: '/keys', right: 'keys:write' },
  { page: 'endpoints', path: '/endpoints', right: 'webhooks:read' },
  { page: 'deliveries', path: '/deliveries', right: 'webhooks:read' },
  { page: 'replay', path: '/replay', right: 'webhooks:write' },
  { page: 'check', path: '/check', right: 'webhooks:write' },
  { page: 'stories', path: '/stories', right: 'sandbox:write' },
  { page: 'requests', path: '/requests', right: 'keys:write' },
] as const satisfies readonly { page: keyof DeskTexts['developers']['nav']; path: string; right: Right }[];

/** Below which the pages for developers are. */
export const DEVELOPERS = '/dashboard/:merchant/developers';

export const developersPath = ({ merchant }: AtMerchant): string =>
  `/dashboard/${merchant.merchant_id}/developers`;

interface Framed {
  readonly title: string;
  readonly main: Html;
  /** What was done; null: nothing. */
  readonly note?: string | null;
  /** Why nothing was done; null: it was. */
  readonly fault?: string | null;
  readonly status?: number;
}

/** A page for developers, below the links to its neighbours. */
export function framed(visit: AtMerchant, { title, main, note = null, fault = null, status }: Framed): Page {
  const { developers, said: notes } = visit.texts;
  const done = note ?? (visit.query.get('said') === 'confirmed' ? notes.confirmed : null);
  const bar = { base: developersPath(visit), name: developers.title, kind: 'tabs inner' };
  const pages = PAGES.map((one) => ({ ...one, label: developers.nav[one.page] }));
  return {
    title,
    status: status ?? (fault === null ? 200 : 400),
    main: html`${neighbours(visit, bar, pages)} ${said(done)} ${alert(fault)} ${main}`,
  };
}

/** A link that looks like a button. */
export const linkButton = (to: string, label: string): Html =>
  html`<p><a class="button" href="${to}">${label}</a></p>`;
