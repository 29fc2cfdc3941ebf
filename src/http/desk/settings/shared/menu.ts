import { may, type Right } from '../../../../domain/people/rights/roles.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { alert, said } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import type { DeskTexts } from '../../shell/texts.ts';

/** The pages of the settings, and the right that each needs. */
const SECTIONS = [
  { section: 'wallets', right: 'wallets:read' },
  { section: 'methods', right: 'payments:read' },
  { section: 'policy', right: 'payments:read' },
  { section: 'appearance', right: 'payments:read' },
  { section: 'mails', right: 'payments:read' },
] as const satisfies readonly { section: keyof DeskTexts['settings']['sections']; right: Right }[];

export type Section = (typeof SECTIONS)[number]['section'];

/** Where a page of the settings is. */
export const settingsPath = ({ merchant }: AtMerchant, section: Section | null = null): string =>
  `/dashboard/${merchant.merchant_id}/settings${section === null ? '' : `/${section}`}`;

/** The sections that a person may see. */
export const sectionsOf = ({ merchant }: AtMerchant): Section[] =>
  SECTIONS.filter(({ right }) => may(merchant.role, right)).map(({ section }) => section);

/** A page of the settings, below the list of all of them. `fault`: what is wrong with what was entered. */
export function settingsPage(
  visit: AtMerchant,
  section: Section,
  { main, fault = null }: { main: Html; fault?: string | null },
): Page {
  const { settings } = visit.texts;
  const isSaved = fault === null && visit.query.get('said') === 'saved';
  const isConfirmed = fault === null && visit.query.get('said') === 'confirmed';
  const note = isSaved ? settings.saved : isConfirmed ? visit.texts.said.confirmed : null;
  return {
    title: settings.sections[section],
    status: fault === null ? 200 : 400,
    main: html`${menu(visit, section)} ${said(note)} ${alert(fault)} ${main}`,
  };
}

function menu(visit: AtMerchant, current: Section): Html {
  const { settings } = visit.texts;
  return html`<nav class="sections" aria-label="${settings.title}">
    <ul>
      ${sectionsOf(visit).map((section) => {
        const at = section === current ? html`aria-current="page"` : null;
        return html`<li>
          <a href="${settingsPath(visit, section)}" ${at}>${settings.sections[section]}</a>
        </li>`;
      })}
    </ul>
  </nav>`;
}
