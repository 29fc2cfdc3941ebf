import { extname } from 'node:path';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Gate } from '../api/mount.ts';
import { noteFacts } from '../logging/access-log.ts';
import { PACKAGE_PATH, sendPackage } from './package/send.ts';
import { send } from './send.ts';
import { ASSETS, createSite, LLMS_PATH, SEARCH_PATH, versionOf, type Site, type SiteFiles } from './site.ts';

/** Results are asked for while a reader types, and an office shares one address. */
const DOCS_PER_MINUTE = 300;

/** Returns the files of the site, for the OpenAPI document of the service; null: they are not there. */
export type SiteSource = (document: () => object) => Promise<SiteFiles | null>;

/** The documentation, below /docs, which is read for its first reader. */
export function docsRouter(
  { limit, clients }: Pick<Gate, 'limit' | 'clients'>,
  read: () => Promise<SiteFiles | null>,
): Router {
  let site: Site | null = null;
  const withSite =
    (show: Show): RequestHandler =>
    async (request, response, next) => {
      const files = site === null ? await read() : null;
      if (files !== null) site ??= createSite(files);
      if (site !== null) return show(site, request, response);
      noteFacts(response, { reason: 'the documentation is not built here: npm run build' });
      next();
    };
  const router = Router();
  // In front of the limit: they are read from memory, and every page has them.
  for (const [path, type] of Object.entries(ASSETS)) router.get(path, withSite(sendAsset(type)));
  router.use(['/docs', LLMS_PATH], limit('docs', DOCS_PER_MINUTE, clients.addressOf));
  router.get(PACKAGE_PATH, sendPackage());
  router.get(SEARCH_PATH, withSite(showSearch));
  router.get(['/docs{/*path}', LLMS_PATH], withSite(showPage));
  // Whoever opens the service's own address looks for this.
  router.get('/', limit('root', DOCS_PER_MINUTE, clients.addressOf), (_request, response) => {
    response.set('Cache-Control', 'no-cache').redirect(302, '/docs');
  });
  return router;
}

type Show = (site: Site, request: Request, response: Response) => Promise<void>;

async function showPage(site: Site, request: Request, response: Response): Promise<void> {
  const page = site.find(request.path.replace(/\/$/, ''));
  const type = page === null ? undefined : TEXTS[extname(request.path)];
  if (page === null) noteFacts(response.status(404), { reason: 'no such page' });
  await send(request, response, { content: page ?? site.missing, type, isKept: page !== null });
}

/** The types of what is no page: the same in Markdown, and the list of them. */
const TEXTS: Readonly<Record<string, string>> = {
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** As long as the field of the page. */
const MAX_QUERY = 100;

async function showSearch(site: Site, request: Request, response: Response): Promise<void> {
  const query = new URLSearchParams(request.url.split('?', 2)[1]).get('q') ?? '';
  await send(request, response, { content: site.search(query.slice(0, MAX_QUERY)), isKept: false });
}

function sendAsset(type: string): Show {
  return async (site, request, response) => {
    const content = site.find(request.path) ?? '';
    const isOwn = request.url.endsWith(`?v=${versionOf(content)}`);
    await send(request, response, { content, type, isKept: true, isForGood: isOwn });
  };
}
