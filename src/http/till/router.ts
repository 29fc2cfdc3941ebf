import { Router, type Request, type RequestHandler, type Response } from 'express';
import { pair, findPairing } from '../../domain/tills/devices.ts';
import { lockDevice, openTill, seeDevice, type PairedTill } from '../../domain/tills/opening.ts';
import type { AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import type { Gate } from '../api/mount.ts';
import { showMaintenance } from '../checkout/messages.ts';
import { ownPostOnly } from '../desk/shell/own-post.ts';
import { FOR_GOOD, sendCompressed } from '../protocol/send-compressed.ts';
import { SCRIPT, TILL_HEADERS } from './assets.ts';
import { closeRoutes } from './close-routes.ts';
import { clientOf, deviceOf, tillCookies, type TillCookies } from './device.ts';
import { tillDocument, type TillPage } from './document.ts';
import { gonePage, nonePage, pairPage, pinPage } from './entry-pages.ts';
import { saleRoutes } from './sale-routes.ts';
import type { TillReply, TillRoute, TillVisit } from './route.ts';

/** Of one device, or of one address of those that are none: a page that follows a sale asks 30 times. */
const PAGES_PER_MINUTE = 600;
/** Of the same: a PIN is hashed, a link looked up. */
const ENTRIES_PER_MINUTE = 20;

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
  const cookies = tillCookies(gate);
  const client = (request: Request) => clientOf(request, clients);
  if (!ctx.config.maintenance) router.use('/till', cookies.identify);
  router.use('/till', limit('till', PAGES_PER_MINUTE, client));
  if (ctx.config.maintenance) router.use('/till', showMaintenance());
  const served = { gate, adapters, cookies };
  const ownPost = ownPostOnly(ctx.config.publicUrl);
  const limitEntries = limit('till entry', ENTRIES_PER_MINUTE, client);
  router.get('/till/pair/:token', showPairing(served));
  router.post('/till/pair/:token', limitEntries, ...ownPost, usePairing(served));
  router.post('/till/open', limitEntries, ...ownPost, open(served));
  for (const route of [...saleRoutes, ...closeRoutes, lockRoute]) {
    const own = limit(`till ${route.name}`, route.perMinute, client);
    const post = route.method === 'post' ? ownPost : [];
    router[route.method](route.path, own, ...post, serve(served, route));
  }
  return router;
}

interface Served {
  readonly gate: TillGate;
  readonly adapters: AdaptersByMode;
  readonly cookies: TillCookies;
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

/** Serves a page of a till to its devices that are open; the others see what opens them. */
function serve(served: Served, route: TillRoute): RequestHandler {
  const { ctx } = served.gate;
  return async (request, response, next) => {
    const device = deviceOf(response);
    if (device === null) return sendPage(response, null, nonePage());
    const { till } = device;
    if (!device.isOpened)
      return route.method === 'get'
        ? sendPage(response, till, pinPage(null))
        : response.redirect(303, '/till');
    const visit = visitOf(served, request, till);
    // A page that asks for what has changed is no person who uses it.
    if (!visit.query.has('follow')) await seeDevice(ctx, till, visit).catch(() => undefined);
    send(response, next, { till, reply: await route.handle(visit) });
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
    sendPage(response, till, page);
  };
}

function usePairing(served: Served): RequestHandler<{ token: string }> {
  const { gate, cookies } = served;
  return async (request, response) => {
    const paired = await pair(gate.ctx, request.params.token, placeOf(gate, request as Request));
    if (paired === null) return sendPage(response, null, gonePage());
    response.append('Set-Cookie', cookies.write('device', paired.token));
    response.redirect(303, '/till');
  };
}

function open({ gate, cookies }: Served): RequestHandler {
  return async (request, response) => {
    const till = deviceOf(response)?.till ?? null;
    if (till === null) return sendPage(response, null, nonePage());
    const opened = await openTill(gate.ctx, till, fieldOf(request, 'pin'));
    if (typeof opened === 'string') return sendPage(response, till, pinPage(opened));
    response.append('Set-Cookie', cookies.write('opening', opened.opening));
    response.redirect(303, '/till');
  };
}

function send(
  response: Response,
  next: () => void,
  { till, reply }: { till: PairedTill; reply: TillReply },
): void {
  if (reply === 'missing') return next();
  if ('to' in reply) return response.redirect(303, reply.to);
  sendPage(response, till, reply);
}

function sendPage(response: Response, till: PairedTill | null, page: TillPage): void {
  const isOpen = deviceOf(response)?.isOpened === true;
  response
    .status(page.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(tillDocument(till, page, isOpen));
}

/** Another release's is not to be had here: its page works without, and asks again when it is loaded. */
const sendScript: RequestHandler = async (request, response) => {
  response.set('X-Content-Type-Options', 'nosniff');
  if (request.path !== SCRIPT.path) {
    response.status(404).end();
    return;
  }
  response.set({ 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': FOR_GOOD });
  await sendCompressed(request, response, { content: SCRIPT.content, isKept: true });
};
