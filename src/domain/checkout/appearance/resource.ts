import { createHash } from 'node:crypto';
import { accentOf } from '../markup/accent.ts';
import { logoPath } from '../view/face.ts';
import type { Appearance } from './schemas.ts';
import type { FaceRow } from './store.ts';

/** What the API says of a merchant's face; `row` is null while nothing was set. */
export function toAppearance(row: FaceRow | null, publicUrl: string): Appearance {
  const face = row?.face;
  const [accent, logo] = [face?.accent_color ?? null, face?.logo ?? null];
  return {
    name: face?.name ?? null,
    support_url: face?.support_url ?? null,
    accent_color: accent,
    accent_used: accent === null ? null : accentUsed(accent),
    display_currency: (face?.display_currency ?? null) as Appearance['display_currency'],
    methods: face?.methods === undefined || face.methods === null ? null : [...face.methods],
    embed_origins: [...(face?.embed_origins ?? [])],
    logo:
      logo === null
        ? null
        : { url: `${publicUrl}${logoPath(logo.id)}`, width: logo.width, height: logo.height },
    updated_at: row?.updated_at.toISOString() ?? null,
  };
}

function accentUsed(color: string): Appearance['accent_used'] {
  const { light, dark } = accentOf(color);
  return { light: light.color, dark: dark.color };
}

/** Another merchant's same image has another id, so that deleting one keeps the other. */
export function logoId(merchantId: string, bytes: Buffer): string {
  return createHash('sha256').update(`${merchantId} `).update(bytes).digest('hex').slice(0, 32);
}
