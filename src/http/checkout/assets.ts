import type { RequestHandler, Response } from 'express';
import { readLogo } from '../../domain/checkout/appearance/store.ts';
import { embedScript } from '../../domain/checkout/page/embedding.ts';
import { PAGE_SCRIPT } from '../../domain/checkout/page/document.ts';
import { ICON, SYMBOLS } from '../../domain/checkout/markup/icons.ts';
import { WALLET_KITS } from '../../domain/checkout/markup/wallet-kit.ts';
import type { Context } from '../../platform/context.ts';
import { CHECKOUT_HEADERS } from './page.ts';
import { FOR_GOOD, sendCompressed } from '../protocol/send-compressed.ts';

const SVG = 'image/svg+xml; charset=utf-8';

/** Each has a path that changes with its content. */
const ASSETS = new Map<string, { content: string; type: string }>([
  [PAGE_SCRIPT.path, { content: PAGE_SCRIPT.content, type: 'text/javascript; charset=utf-8' }],
  [ICON.path, { content: ICON.content, type: SVG }],
  [SYMBOLS.path, { content: SYMBOLS.content, type: SVG }],
  ...Object.values(WALLET_KITS).map(
    ({ path, content }) => [path, { content, type: 'application/json; charset=utf-8' }] as const,
  ),
]);

/** What pages load. Another release's is not to be had here: a page asks again later for its script. */
export const sendAsset: RequestHandler = async (request, response) => {
  const asset = ASSETS.get(request.path);
  if (asset === undefined) return refuse(response);
  response.set({ ...CHECKOUT_HEADERS, 'Content-Type': asset.type, 'Cache-Control': FOR_GOOD });
  await sendCompressed(request, response, { content: asset.content, isKept: true });
};

/** For browsers that ask for an icon without having seen a page that names one. */
export const sendIcon: RequestHandler = (request, response) => {
  response.set({ ...CHECKOUT_HEADERS, 'Content-Type': SVG, 'Cache-Control': 'public, max-age=86400' });
  return sendCompressed(request, response, { content: ICON.content, isKept: true });
};

/** For the pages of every shop: as a module too, which is fetched with CORS, and where COEP asks for CORP. */
const EMBED_HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'public, max-age=3600',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
  'X-Content-Type-Options': 'nosniff',
};

/** The script of shops, which opens the page in a modal. */
export function sendEmbedScript({ config }: Context): RequestHandler {
  const content = embedScript(config.publicUrl);
  return (request, response) => {
    response.set(EMBED_HEADERS);
    return sendCompressed(request, response, { content, isKept: true });
  };
}

/** A logo that is opened by itself runs nothing and loads nothing. */
const LOGO_HEADERS = {
  ...CHECKOUT_HEADERS,
  'Content-Type': 'image/webp',
  'Cache-Control': FOR_GOOD,
  'Content-Security-Policy': "default-src 'none'; sandbox",
};

const LOGO_FILE = /^((?:[a-z\d]{1,8}\.)?[0-9a-f]{32})\.webp$/;

/** Sends a merchant's logo as the service has encoded it. */
export function sendLogo(ctx: Context): RequestHandler<{ file: string }> {
  return async (request, response) => {
    const id = LOGO_FILE.exec(request.params.file)?.[1];
    const logo = id === undefined ? null : await readLogo(ctx.db, id);
    if (logo === null) return refuse(response);
    response.set({ ...LOGO_HEADERS, ETag: `"${id}"` });
    if (request.fresh) response.status(304).end();
    else response.send(logo);
  };
}

function refuse(response: Response): void {
  response.status(404).set(CHECKOUT_HEADERS).end();
}
