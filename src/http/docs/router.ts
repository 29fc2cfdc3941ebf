import { Router, type RequestHandler } from 'express';
import type { Gate } from '../api/mount.ts';
import { noteFacts } from '../logging/access-log.ts';
import { DOCS_SCRIPT, DOCS_STYLE, type DocsAsset } from './assets.ts';
import { SEARCH_PATH } from './layout.ts';
import { PACKAGE_PATH, sendPackage } from './package/send.ts';
import { send } from './send.ts';
import { createSite, type Site } from './site.ts';

/** Results are asked for while a reader types, and an office shares one address. */
const DOCS_PER_MINUTE = 300;

/** The documentation, below /docs, which is rendered for its first reader. */
export function docsRouter(
  { limit, clients }: Pick<Gate, 'limit' | 'clients'>,
  document: () => object,
): Router {
  let rendered: Promise<Site> | null = null;
  const render = () =>
    createSite(document()).catch((error: unknown) => {
      // A file may be there for the next reader.
      rendered = null;
      throw error;
    });
  const site = () => (rendered ??= render());
  const router = Router();
  // In front of the limit: they are read from memory, and every page has them.
  for (const asset of [DOCS_STYLE, DOCS_SCRIPT]) router.get(asset.path, sendAsset(asset));
  router.use('/docs', limit('docs', DOCS_PER_MINUTE, clients.addressOf));
  router.get(PACKAGE_PATH, sendPackage());
  router.get(SEARCH_PATH, showSearch(site));
  router.get('/docs{/*path}', showPage(site));
  // Whoever opens the service's own address looks for this.
  router.get('/', limit('root', DOCS_PER_MINUTE, clients.addressOf), (_request, response) => {
    response.set('Cache-Control', 'no-cache').redirect(302, '/docs');
  });
  return router;
}

function showPage(site: () => Promise<Site>): RequestHandler {
  return async (request, response) => {
    const { pages, missing } = await site();
    const page = pages.get(request.path.replace(/\/$/, ''));
    if (page === undefined) noteFacts(response.status(404), { reason: 'no such page' });
    await send(request, response, { content: page ?? missing, isKept: page !== undefined });
  };
}

function showSearch(site: () => Promise<Site>): RequestHandler {
  return async (request, response) => {
    const query = new URLSearchParams(request.url.split('?', 2)[1]).get('q') ?? '';
    const content = (await site()).search(query.slice(0, MAX_QUERY));
    await send(request, response, { content, isKept: false });
  };
}

/** As long as the field of the page. */
const MAX_QUERY = 100;

function sendAsset(asset: DocsAsset): RequestHandler {
  return async (request, response) => {
    const isOwn = request.url.endsWith(`?v=${asset.version}`);
    await send(request, response, {
      content: asset.content,
      type: asset.type,
      isKept: true,
      isForGood: isOwn,
    });
  };
}
