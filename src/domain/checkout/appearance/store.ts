import { runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { STORED_APPEARANCE, type StoredAppearance } from '../view/appearance.ts';
import type { Choices } from './choices.ts';
import type { EncodedLogo } from './encode-logo.ts';

/** A merchant's appearance as it is stored, and since when. */
export interface AppearanceRow {
  readonly appearance: StoredAppearance;
  readonly updated_at: Date;
}

const APPEARANCE_ROW = `${STORED_APPEARANCE} AS appearance, f.updated_at`;

const findAppearance = sql<AppearanceRow, { merchantId: string }>(
  'find_appearance',
  (p) => `SELECT ${APPEARANCE_ROW} FROM merchant_faces f WHERE f.merchant_id = ${p.merchantId}`,
);

/** Null: the merchant has chosen nothing yet. */
export async function readAppearance(
  connection: Connection,
  merchantId: string,
): Promise<AppearanceRow | null> {
  return runOne(connection, findAppearance, { merchantId });
}

interface WriteAppearanceParams {
  readonly merchantId: string;
  readonly name: string | null;
  readonly supportUrl: string | null;
  readonly accentColor: string | null;
  readonly displayCurrency: string | null;
  readonly methods: string | null;
  readonly embedOrigins: readonly string[];
  readonly now: Date;
}

const writeAppearance = sql<AppearanceRow, WriteAppearanceParams>(
  'write_appearance',
  (p) => `
    INSERT INTO merchant_faces AS f (
      merchant_id, name, support_url, accent_color, display_currency, methods, embed_origins, updated_at)
    VALUES (
      ${p.merchantId}, ${p.name}, ${p.supportUrl}, ${p.accentColor}, ${p.displayCurrency}, ${p.methods},
      ${p.embedOrigins}, ${p.now})
    ON CONFLICT (merchant_id) DO UPDATE SET
      name = excluded.name, support_url = excluded.support_url, accent_color = excluded.accent_color,
      display_currency = excluded.display_currency, methods = excluded.methods,
      embed_origins = excluded.embed_origins, updated_at = excluded.updated_at
    RETURNING ${APPEARANCE_ROW}`,
);

/** Replaces all choices; the logo stays. */
export async function storeChoices(
  connection: Connection,
  merchantId: string,
  choices: Choices,
  now: Date,
): Promise<AppearanceRow | null> {
  return runOne(connection, writeAppearance, {
    merchantId,
    name: choices.name,
    supportUrl: choices.support_url,
    accentColor: choices.accent_color,
    displayCurrency: choices.display_currency,
    methods: choices.methods === null ? null : JSON.stringify(choices.methods),
    embedOrigins: choices.embed_origins,
    now,
  });
}

interface WriteLogoParams {
  readonly merchantId: string;
  readonly id: string;
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
  readonly now: Date;
}

const writeLogo = sql<AppearanceRow, WriteLogoParams>(
  'write_logo',
  (p) => `
    INSERT INTO merchant_faces AS f (merchant_id, logo, logo_id, logo_width, logo_height, updated_at)
    VALUES (${p.merchantId}, ${p.bytes}, ${p.id}, ${p.width}, ${p.height}, ${p.now})
    ON CONFLICT (merchant_id) DO UPDATE SET
      logo = excluded.logo, logo_id = excluded.logo_id, logo_width = excluded.logo_width,
      logo_height = excluded.logo_height, updated_at = excluded.updated_at
    RETURNING ${APPEARANCE_ROW}`,
);

export async function storeLogo(
  connection: Connection,
  merchantId: string,
  { bytes, width, height, id }: EncodedLogo & { readonly id: string },
  now: Date,
): Promise<AppearanceRow | null> {
  return runOne(connection, writeLogo, { merchantId, id, bytes, width, height, now });
}

const deleteLogo = sql<AppearanceRow, { merchantId: string; now: Date }>(
  'delete_logo',
  (p) => `
    UPDATE merchant_faces f
    SET logo = NULL, logo_id = NULL, logo_width = NULL, logo_height = NULL, updated_at = ${p.now}
    WHERE f.merchant_id = ${p.merchantId} RETURNING ${APPEARANCE_ROW}`,
);

export async function removeLogo(
  connection: Connection,
  merchantId: string,
  now: Date,
): Promise<AppearanceRow | null> {
  return runOne(connection, deleteLogo, { merchantId, now });
}

const findLogo = sql<{ logo: Buffer }, { id: string }>(
  'find_logo',
  (p) => `SELECT logo FROM merchant_faces WHERE logo_id = ${p.id} AND logo IS NOT NULL`,
);

/** The image with this id; null: there is none, or no longer. */
export async function readLogo(connection: Connection, id: string): Promise<Buffer | null> {
  return (await runOne(connection, findLogo, { id }))?.logo ?? null;
}
