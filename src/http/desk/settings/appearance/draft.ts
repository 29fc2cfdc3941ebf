import { ValidationError } from '../../../../domain/api/errors.ts';
import {
  choicesOf,
  type Choices,
  type Surroundings,
} from '../../../../domain/checkout/appearance/choices.ts';
import { toAppearance } from '../../../../domain/checkout/appearance/resource.ts';
import { AppearanceBody, type Appearance } from '../../../../domain/checkout/appearance/schemas.ts';
import type { AppearanceRow } from '../../../../domain/checkout/appearance/store.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { checked } from '../../verbs.ts';

/** What the form has, as it is typed. */
export const DRAFT_FIELDS = [
  'name',
  'support_url',
  'accent_color',
  'display_currency',
  'embed_origins',
] as const;
export type DraftField = (typeof DRAFT_FIELDS)[number];
export type Draft = Readonly<Record<DraftField, string>>;

/** The appearance that is stored, as its form says it. */
export function draftOf(stored: Appearance): Draft {
  const { name, support_url, accent_color, display_currency, embed_origins } = stored;
  return {
    name: name ?? '',
    support_url: support_url ?? '',
    accent_color: accent_color ?? '',
    display_currency: display_currency ?? '',
    embed_origins: embed_origins.join('\n'),
  };
}

/** A draft by the fields of a form, or of the query of a preview. */
export function draftBy(read: (name: DraftField) => string): Draft {
  return Object.fromEntries(DRAFT_FIELDS.map((name) => [name, read(name).trim()])) as Draft;
}

/** The request of the API that a draft means; what the form has not stays as it is stored. */
function requestOf(draft: Draft, stored: Appearance): Record<string, unknown> {
  const origins = draft.embed_origins.split(/\s+/).filter((origin) => origin !== '');
  const chosen = DRAFT_FIELDS.map((name) => [name, draft[name] === '' ? null : draft[name]] as const);
  return { ...stored, ...Object.fromEntries(chosen), embed_origins: origins };
}

/** Checks a draft as the API checks a request. Throws ValidationError. */
export const checkDraft = (visit: AtMerchant, draft: Draft, row: AppearanceRow | null): AppearanceBody =>
  checked(visit, AppearanceBody, requestOf(draft, toAppearance(row, visit.ctx.config.publicUrl)));

/**
 * What of a draft can be shown: somebody types, and a field that is not valid yet has its default. Null:
 * nothing of it.
 */
export function shownChoices(
  visit: AtMerchant,
  draft: Draft,
  row: AppearanceRow | null,
  surroundings: Surroundings,
): Choices | null {
  let left = draft;
  for (let tries = 0; tries <= DRAFT_FIELDS.length; tries += 1) {
    try {
      return choicesOf(checkDraft(visit, left, row), surroundings);
    } catch (error) {
      const field = error instanceof ValidationError ? (error.details?.field ?? '') : '';
      const wrong = DRAFT_FIELDS.find((name) => field.startsWith(name));
      if (wrong === undefined) return null;
      left = { ...left, [wrong]: '' };
    }
  }
  return null;
}
