import type { Right } from '../../../../domain/people/rights/roles.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { neighbours } from '../../shell/document.ts';
import { alert, said } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import type { DeskTexts } from '../../shell/texts.ts';

/** The pages of the settings, and the right that each needs. */
export const SECTIONS = [
  { section: 'wallets', path: '/wallets', right: 'wallets:read' },
  { section: 'methods', path: '/methods', right: 'payments:read' },
  { section: 'policy', path: '/policy', right: 'payments:read' },
  { section: 'appearance', path: '/appearance', right: 'payments:read' },
  { section: 'mails', path: '/mails', right: 'payments:read' },
] as const satisfies readonly {
  section: keyof DeskTexts['settings']['sections'];
  path: string;
  right: Right;
}[];

export type Section = (typeof SECTIONS)[number]['section'];

/** Where a page of the settings is. */
export const settingsPath = ({ merchant }: AtMerchant, section: Section | null = null): string =>
  `/dashboard/${merchant.merchant_id}/settings${section === null ? '' : `/${section}`}`;

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
  const bar = { base: settingsPath(visit), name: settings.title, kind: 'sections' };
  const sections = SECTIONS.map((one) => ({ ...one, label: settings.sections[one.section] }));
  return {
    title: settings.sections[section],
    status: fault === null ? 200 : 400,
    main: html`${neighbours(visit, bar, sections)} ${said(note)} ${alert(fault)} ${main}`,
  };
}
