import { Router, type Request, type RequestHandler, type Response } from 'express';
import { pair, findPairing } from '../../domain/tills/devices.ts';
import {
  findPaired,
  isOpened,
  lockDevice,
  openTill,
  seeDevice,
  type PairedTill,
} from '../../domain/tills/opening.ts';
import type { AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import type { Gate } from '../api/mount.ts';
import { showMaintenance } from '../checkout/router.ts';
import { DEVICE_SECONDS, hostCookies, type HostCookies } from '../desk/shell/cookies.ts';
import { ownPostOnly } from '../desk/shell/own-post.ts';
import { noteFacts } from '../logging/access-log.ts';
import { acceptedEncoding, compressed } from '../../platform/pages/compress.ts';
import { hashApiKey } from '../../platform/values/ids.ts';
import { SCRIPT, TILL_HEADERS } from './assets.ts';
import { closeRoutes } from './close-routes.ts';
import { tillDocument, type TillPage } from './document.ts';
import { gonePage, nonePage, pairPage, pinPage } from './entry-pages.ts';
import { saleRoutes } from './sale-routes.ts';
import type { TillReply, TillRoute, TillVisit } from './route.ts';

/** Several tills of a shop share an address, and each asks every two seconds. */
const PAGES_PER_MINUTE = 600;
/** Of one address: a PIN is hashed, a link looked up. */
const ENTRIES_PER_MINUTE = 20;
const COOKIE = 'till';

type TillGate = Pick<Gate, 'ctx' | 'limit' | 'clients'>;

/** The tills of merchants, below /till. */
export function tillRouter(gate: TillGate, adapters: AdaptersByMode): Router {
  const { ctx, limit, clients } = gate;
  const router = Router();
  // In front of the limit: it is read from memory.
  router.get('/till/assets/:file', sendScript);
  router.use('/till', (_request, response, next) => {
    response.set(TILL_HEADERS);
    next();
  });
  router.use('/till', limit('till', PAGES_PER_MINUTE, clients.addressOf));
  if (ctx.config.maintenance) router.use('/till', showMaintenance);
  const served = { gate, adapters, cookies: hostCookies(ctx.config.publicUrl) };
  const ownPost = ownPostOnly(ctx.config.publicUrl);
  const limitEntries = limit('till entry', ENTRIES_PER_MINUTE, clients.addressOf);
  router.get('/till/pair/:token', showPairing(served));
  router.post('/till/pair/:token', limitEntries, ...ownPost, usePairing(served));
  router.post('/till/open', limitEntries, ...ownPost, open(served));
  for (const route of [...saleRoutes, ...closeRoutes, lockRoute]) {
    // By the device, so that none of a shop takes what the others have.
    const own = limit(`till ${route.name}`, route.perMinute, (request) => deviceOf(served, request));
    const post = route.method === 'post' ? ownPost : [];
    router[route.method](route.path, own, ...post, serve(served, route));
  }
  return router;
}

interface Served {
  readonly gate: TillGate;
  readonly adapters: AdaptersByMode;
  readonly cookies: HostCookies;
}

const lockRoute: TillRoute = {
  name: 'lock',
  method: 'post',
  path: '/till/lock',
  perMinute: 60,
  async handle({ ctx, till }) {
    await lockDevice(ctx, till);
    return { to: '/till' };
  },
};

/** A limit's key may be kept in Redis: it is no token. */
function deviceOf({ gate, cookies }: Served, request: Request): string {
  const token = cookies.read(request.headers, COOKIE);
  return token === null ? gate.clients.addressOf(request) : hashApiKey(token).toString('base64url');
}

/** The till of the device that asks; null: it is none. */
async function tillOf({ gate, cookies }: Served, request: Request, response: Response) {
  const token = cookies.read(request.headers, COOKIE);
  const till = token === null ? null : await findPaired(gate.ctx.db, token);
  if (till !== null) noteFacts(response, { till_id: till.id, device_id: till.device_id });
  return till;
}

/** Serves a page of a till to its devices that are open; the others see what opens them. */
function serve(served: Served, route: TillRoute): RequestHandler {
  const { ctx } = served.gate;
  return async (request, response, next) => {
    const till = await tillOf(served, request, response);
    if (till === null) return sendPage(served, response, null, nonePage());
    if (!isOpened(till, ctx.now()))
      return route.method === 'get'
        ? sendPage(served, response, till, pinPage(null))
        : response.redirect(303, '/till');
    const visit = visitOf(served, request, till);
    // A page that asks for what has changed is no person who uses it.
    if (!visit.query.has('follow')) await seeDevice(ctx, till, visit).catch(() => undefined);
    send(served, response, next, { till, reply: await route.handle(visit) });
  };
}

const MAX_AGENT = 200;

function visitOf({ gate, adapters }: Served, request: Request, till: PairedTill): TillVisit {
  return {
    ctx: gate.ctx,
    adapters,
    till,
    ...placeOf(gate, request),
    params: request.params as Record<string, string>,
    query: new URLSearchParams(request.url.split('?', 2)[1]),
    field: (name) => fieldOf(request, name),
  };
}

const placeOf = ({ clients }: TillGate, request: Request) => ({
  address: clients.addressOf(request),
  // It is shown to people.
  agent: (request.headers['user-agent'] ?? '').slice(0, MAX_AGENT).replaceAll(/[^\x20-\x7e]/g, ''),
});

function fieldOf({ body }: Request, name: string): string {
  const form = (body ?? {}) as Readonly<Record<string, unknown>>;
  const value = Object.hasOwn(form, name) ? form[name] : undefined;
  return typeof value === 'string' ? value : '';
}

function showPairing(served: Served): RequestHandler<{ token: string }> {
  return async (request, response) => {
    const till = await findPairing(served.gate.ctx, request.params.token);
    const page = till === null ? gonePage() : pairPage(till, request.path);
    sendPage(served, response, till, page);
  };
}

function usePairing(served: Served): RequestHandler<{ token: string }> {
  const { gate, cookies } = served;
  return async (request, response) => {
    const paired = await pair(gate.ctx, request.params.token, placeOf(gate, request as Request));
    if (paired === null) return sendPage(served, response, null, gonePage());
    response.append('Set-Cookie', cookies.write(COOKIE, paired.token, DEVICE_SECONDS));
    response.redirect(303, '/till');
  };
}

function open(served: Served): RequestHandler {
  const { ctx } = served.gate;
  return async (request, response) => {
    const till = await tillOf(served, request, response);
    if (till === null) return sendPage(served, response, null, nonePage());
    const opened = await openTill(ctx, till, fieldOf(request, 'pin'));
    if (opened === 'opened') return response.redirect(303, '/till');
    return sendPage(served, response, till, pinPage(opened));
  };
}

function send(
  served: Served,
  response: Response,
  next: () => void,
  { till, reply }: { till: PairedTill; reply: TillReply },
): void {
  if (reply === 'missing') return next();
  if ('to' in reply) return response.redirect(303, reply.to);
  sendPage(served, response, till, reply);
}

function sendPage({ gate }: Served, response: Response, till: PairedTill | null, page: TillPage): void {
  response
    .status(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(tillDocument(till, page, gate.ctx.now()));
}

const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Another release's is not to be had here: its page works without, and asks again when it is loaded. */
const sendScript: RequestHandler = async (request, response) => {
  response.set({ 'X-Content-Type-Options': 'nosniff', Vary: 'Accept-Encoding' });
  if (request.path !== SCRIPT.path) {
    response.status(404).end();
    return;
  }
  response.set({ 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': FOR_GOOD });
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === null) response.send(SCRIPT.content);
  else response.set('Content-Encoding', encoding).send(await compressed(SCRIPT.content, encoding));
};
