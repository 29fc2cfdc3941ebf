import { createHash } from 'node:crypto';
import { accentOf } from '../markup/accent.ts';
import { logoPath } from '../view/appearance.ts';
import type { Appearance } from './schemas.ts';
import type { AppearanceRow } from './store.ts';

/** What the API says of a merchant's appearance; `row` is null while nothing was set. */
export function toAppearance(row: AppearanceRow | null, publicUrl: string): Appearance {
  const appearance = row?.appearance;
  const [accent, logo] = [appearance?.accent_color ?? null, appearance?.logo ?? null];
  return {
    name: appearance?.name ?? null,
    support_url: appearance?.support_url ?? null,
    accent_color: accent,
    accent_used: accent === null ? null : accentOf(accent),
    display_currency: (appearance?.display_currency ?? null) as Appearance['display_currency'],
    methods:
      appearance?.methods === undefined || appearance.methods === null ? null : [...appearance.methods],
    embed_origins: [...(appearance?.embed_origins ?? [])],
    logo:
      logo === null
        ? null
        : { url: `${publicUrl}${logoPath(logo.id)}`, width: logo.width, height: logo.height },
    updated_at: row?.updated_at.toISOString() ?? null,
  };
}

/** Another merchant's same image has another id, so that deleting one keeps the other. */
export function logoId(merchantId: string, bytes: Buffer): string {
  return createHash('sha256').update(`${merchantId} `).update(bytes).digest('hex').slice(0, 32);
}
