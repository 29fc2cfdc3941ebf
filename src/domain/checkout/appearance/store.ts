import { runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { STORED_FACE, type StoredFace } from '../view/face.ts';
import type { Choices } from './choices.ts';
import type { EncodedLogo } from './encode-logo.ts';

/** A merchant's face as it is stored, and since when. */
export interface FaceRow {
  readonly face: StoredFace;
  readonly updated_at: Date;
}

const FACE_ROW = `${STORED_FACE} AS face, f.updated_at`;

const findFace = sql<FaceRow, { merchantId: string }>(
  'find_face',
  (p) => `SELECT ${FACE_ROW} FROM merchant_faces f WHERE f.merchant_id = ${p.merchantId}`,
);

/** Null: the merchant has chosen nothing yet. */
export async function readFace(connection: Connection, merchantId: string): Promise<FaceRow | null> {
  return runOne(connection, findFace, { merchantId });
}

interface WriteFaceParams {
  readonly merchantId: string;
  readonly name: string | null;
  readonly supportUrl: string | null;
  readonly accentColor: string | null;
  readonly displayCurrency: string | null;
  readonly methods: string | null;
  readonly embedOrigins: readonly string[];
  readonly now: Date;
}

const writeFace = sql<FaceRow, WriteFaceParams>(
  'write_face',
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
    RETURNING ${FACE_ROW}`,
);

/** Replaces all choices; the logo stays. */
export async function storeChoices(
  connection: Connection,
  merchantId: string,
  choices: Choices,
  now: Date,
): Promise<FaceRow | null> {
  return runOne(connection, writeFace, {
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

const writeLogo = sql<FaceRow, WriteLogoParams>(
  'write_logo',
  (p) => `
    INSERT INTO merchant_faces AS f (merchant_id, logo, logo_id, logo_width, logo_height, updated_at)
    VALUES (${p.merchantId}, ${p.bytes}, ${p.id}, ${p.width}, ${p.height}, ${p.now})
    ON CONFLICT (merchant_id) DO UPDATE SET
      logo = excluded.logo, logo_id = excluded.logo_id, logo_width = excluded.logo_width,
      logo_height = excluded.logo_height, updated_at = excluded.updated_at
    RETURNING ${FACE_ROW}`,
);

export async function storeLogo(
  connection: Connection,
  merchantId: string,
  { bytes, width, height, id }: EncodedLogo & { readonly id: string },
  now: Date,
): Promise<FaceRow | null> {
  return runOne(connection, writeLogo, { merchantId, id, bytes, width, height, now });
}

const deleteLogo = sql<FaceRow, { merchantId: string; now: Date }>(
  'delete_logo',
  (p) => `
    UPDATE merchant_faces f
    SET logo = NULL, logo_id = NULL, logo_width = NULL, logo_height = NULL, updated_at = ${p.now}
    WHERE f.merchant_id = ${p.merchantId} RETURNING ${FACE_ROW}`,
);

export async function removeLogo(
  connection: Connection,
  merchantId: string,
  now: Date,
): Promise<FaceRow | null> {
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
