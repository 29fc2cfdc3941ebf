import { Router, type Request, type RequestHandler, type Response } from 'express';
import { ApiError } from '../../domain/api/errors.ts';
import { may } from '../../domain/people/rights/roles.ts';
import { hasFactor } from '../../domain/people/sessions/accounts.ts';
import { isFresh, seen, type Session } from '../../domain/people/sessions/store.ts';
import type { Gate } from '../api/mount.ts';
import { showMaintenance } from '../checkout/messages.ts';
import { noteFacts } from '../logging/access-log.ts';
import type { Context } from '../../platform/context.ts';
import { deskPath } from '../../platform/values/cells.ts';
import { deskMessage } from './messages.ts';
import { deskRoutes, type DeskDependencies } from './routes.ts';
import { leaveCell, linksInCell } from './shell/cell.ts';
import { deskCookies, type DeskCookies } from './shell/cookies.ts';
import { sendDownload } from './shell/download.ts';
import { deskDocument, refusal, type Viewer } from './shell/document.ts';
import { ownPostOnly } from './shell/own-post.ts';
import {
  ownPath,
  type DeskReply,
  type DeskRoute,
  type Framed,
  type Kept,
  type Page,
  type Visit,
} from './shell/route.ts';
import { DESK_HEADERS, policyOf } from './shell/style.ts';
import { EN } from './shell/texts.ts';
import { fileOf } from './shell/upload.ts';
import { clientOf, deviceFinder, identify, ifDeviceIsKnown, sessionOf } from './visitor.ts';

type DeskGate = Pick<Gate, 'ctx' | 'limit' | 'clients'>;

/** The desk, below /dashboard: pages and forms for the people of merchants. */
export function deskRouter(gate: DeskGate, dependencies: DeskDependencies): Router {
  const { ctx, limit, clients } = gate;
  const router = Router();
  router.use('/dashboard', (_request, response, next) => {
    response.set(DESK_HEADERS);
    next();
  });
  router.use(leaveCell(ctx.config));
  const cookies = deskCookies(ctx.config);
  const show = deskMessage(ctx.config);
  router.use('/dashboard', ctx.config.maintenance ? showMaintenance(show) : identify(gate, cookies));
  const recogniseDevice = deviceFinder(gate, cookies);
  const routes = deskRoutes(ctx.config, dependencies);
  const pages = new Set(routes.filter(({ method }) => method === 'get').map(({ path }) => path));
  for (const route of routes) {
    const client = (request: Request) => clientOf(request, clients, route);
    const limited = limit(`desk ${route.name}`, route.perMinute, client);
    const own = ownPostOnly(ctx.config.publicUrl, { takesFile: route.takesFile === true, show });
    const post = route.method === 'post' ? own : [];
    const counted =
      route.access === 'anybody' && route.namesAccount === true
        ? [...post.map(ifDeviceIsKnown), limited, ...post]
        : [limited, ...post];
    router[route.method](route.path, recogniseDevice, ...counted, serve(gate, cookies, route, pages));
  }
  return router;
}

/** Serves a route to who may see it. What is not theirs is as missing as what does not exist. */
function serve(
  { ctx, clients }: DeskGate,
  cookies: DeskCookies,
  route: DeskRoute,
  pages: ReadonlySet<string>,
): RequestHandler {
  return async (request, response, next) => {
    // Postgres holds no such text: a path with it names nothing.
    if (Object.values(request.params).some((value) => value.includes('\0'))) return next();
    const kept = cookies.read(request.headers);
    const visit = visitOf(request, ctx, clients.addressOf(request), kept.device);
    const session = sessionOf(response);
    if (session !== null) await noteUse(visit, session, response);
    const merchantId = visit.params.merchant;
    const page = pageOf(visit, pages.has(route.path));
    const merchant = session?.memberships.find(({ merchant_id }) => merchant_id === merchantId) ?? null;
    const viewer = { texts: visit.texts, path: visit.path, session, merchant };
    const answer = (reply: DeskReply) => send(response, next, { ctx, viewer, cookies, reply });
    if (route.access === 'anybody') return answer(await route.handle(visit));
    if (session === null) return answer(toSignIn(page, kept));
    if (session.factor_at === null && route.access !== 'begun') return answer({ to: nextStep(session) });
    const mustConfirm = route.isFresh === true && !isFresh(session, ctx.now());
    if (route.access !== 'member')
      return answer(mustConfirm ? toConfirm(page) : await route.handle({ ...visit, session }));
    if (merchant === null) return answer('missing');
    if (!may(merchant.role, route.right)) return answer(refusal(visit.texts, 'refused'));
    const isChange = route.method === 'post' && route.isRead !== true;
    if (isChange && merchant.is_suspended) return answer(refusal(visit.texts, 'suspended'));
    if (mustConfirm) return answer(toConfirm(page));
    return answer(await orMissing(() => route.handle({ ...visit, session, merchant })));
  };
}

/** What is not theirs is as missing as what does not exist. */
async function orMissing(handle: () => Promise<DeskReply>): Promise<DeskReply> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'missing';
    throw error;
  }
}

const MAX_AGENT = 200;

function visitOf(
  { headers, params, path, url, body }: Request,
  ctx: Visit['ctx'],
  address: string,
  device: string | null,
): Visit {
  const form = (Buffer.isBuffer(body) ? {} : (body ?? {})) as Readonly<Record<string, unknown>>;
  return {
    ctx,
    texts: EN,
    address,
    // It is shown to people, and mailed.
    agent: (headers['user-agent'] ?? '').slice(0, MAX_AGENT).replaceAll(/[^\x20-\x7e]/g, ''),
    device,
    path,
    params: params as Record<string, string>,
    query: new URLSearchParams((url.split('?', 2)[1] ?? '').replaceAll('%00', '')),
    file: Buffer.isBuffer(body) ? fileOf(headers['content-type'] ?? '', body) : null,
    field: (name) => {
      const value = Object.hasOwn(form, name) ? form[name] : undefined;
      return typeof value === 'string' ? value.replaceAll('\0', '') : '';
    },
  };
}

/** Without an error: a page must not depend on it, for example while the database takes no writes. */
async function noteUse({ ctx, address, agent }: Visit, session: Session, response: Response): Promise<void> {
  noteFacts(response, { person_id: session.person_id });
  await seen(ctx.db, session, { address, agent }, ctx.now()).catch(() => undefined);
}

/** A form whose session has ended leads to the page that it was on. */
function toSignIn(page: string, { session }: { session: string | null }): DeskReply {
  const to = page === '/dashboard' ? '' : `?to=${encodeURIComponent(page)}`;
  return { to: `/dashboard/sign-in${to}`, ...(session === null ? {} : { kept: { session: null } }) };
}

/** What stands between the password and the desk. */
function nextStep(session: Session): string {
  return hasFactor(session) ? '/dashboard/second-factor' : '/dashboard/set-up';
}

/** What was entered has to be entered again. */
function toConfirm(page: string): DeskReply {
  return { to: `/dashboard/second-factor?to=${encodeURIComponent(page)}` };
}

/**
 * The page that a path is, or whose form it is: `/dashboard/:merchant/people`, `/dashboard/account`. The
 * settings have several.
 */
function pageOf({ path, params }: Visit, isPage: boolean): string {
  const parts = path.split('/');
  const depth = params.merchant === undefined ? 3 : parts[3] === 'settings' ? 5 : 4;
  return ownPath(isPage ? path : parts.slice(0, depth).join('/'));
}

interface Answer {
  readonly ctx: Context;
  readonly viewer: Viewer;
  readonly cookies: DeskCookies;
  readonly reply: DeskReply;
}

function send(response: Response, next: () => void, answer: Answer): void | Promise<void> {
  const { ctx, viewer, cookies, reply } = answer;
  if (reply === 'missing') return next();
  if ('file' in reply) return sendDownload(response, reply, ctx.log);
  if ('policy' in reply) return sendFramed(response, reply);
  keep(response, cookies, reply.kept);
  if ('to' in reply) return response.redirect(303, deskPath(ctx.config, reply.to));
  sendPage(response, ctx, viewer, reply);
}

function sendFramed(response: Response, { html, policy }: Framed): void {
  response.set({ 'Content-Security-Policy': policy, 'X-Frame-Options': 'SAMEORIGIN' });
  response.type('text/html; charset=utf-8').send(html);
}

function sendPage(response: Response, { config }: Context, viewer: Viewer, page: Page): void {
  if (page.scripts !== undefined)
    response.set('Content-Security-Policy', policyOf(page.scripts, page.mayFetch));
  response
    .status(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(linksInCell(config, deskDocument(viewer, page)));
}

function keep(response: Response, cookies: DeskCookies, kept: Kept | undefined): void {
  for (const cookie of kept === undefined ? [] : cookies.write(kept)) response.append('Set-Cookie', cookie);
}
