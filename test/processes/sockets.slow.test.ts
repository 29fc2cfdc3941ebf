import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { CHECKOUT_STATES } from '../support/checkout.ts';
import { randomFrom, type Random } from '../support/random.ts';
import { until } from '../support/until.ts';
import { rawPages, rawRequest, type Targets } from './raw-requests.ts';
import { endAll } from './service.ts';
import { createStand, type Stand, type Web } from './stand.ts';

/** SOCKETS_SEED plays the same requests again; their timing is the machine's. */
const SEED = Number(process.env.SOCKETS_SEED ?? Math.floor(Math.random() * 2 ** 32));
const FUZZ_MS = 8_000;
const CLIENTS = 16;
const PAYMENTS = 4;
/** The states that the payments take in turn, while their pages are open: final ones, and then another. */
const STATES = ['seen', 'settled', 'refunded', 'waiting'] as const;
/** A bit more than the interval at which pages are compared. */
const CHANGE_MS = 1_100;

describe(`raw sockets, SOCKETS_SEED=${SEED}`, function () {
  this.timeout(120_000);
  let stand: Stand;
  before(async () => {
    stand = await createStand({ ADMIN_PASSWORD: 'a long password of 32 characters' });
  });
  const unread: Socket[] = [];
  afterEach(async () => {
    for (const socket of unread) socket.destroy();
    await endAll();
  });
  after(() => stand.close());

  it('pipelined, half-closed, reset or never read, over every endpoint and stream, end no web process', async () => {
    const web = await stand.startWeb();
    const targets = await createTargets(stand, web);
    // One for each payment before the load begins: its stream is surely open when the payment becomes final.
    for (const token of targets.tokens) {
      const socket = connect(web.port, '127.0.0.1').on('error', () => undefined);
      unread.push(socket);
      const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
      socket.write(get('/v1/openapi.json').repeat(100) + get(`/checkout/${token}/events`));
    }
    const end = performance.now() + FUZZ_MS;
    const clients = Array.from({ length: CLIENTS }, async (_, n) => {
      const random = randomFrom(SEED + n);
      while (performance.now() < end && !web.isOver()) await exchange(web.port, random, targets, unread);
    });
    for (let turn = 0; performance.now() < end; turn += 1) {
      const state = STATES[turn % STATES.length] ?? 'waiting';
      await stand
        .db('payments')
        .whereIn('id', targets.ids)
        .update({ status: 'WAITING', settled_at: null, ...CHECKOUT_STATES[state], sequence: turn + 2 });
      await sleep(CHANGE_MS);
    }
    await Promise.all(clients);
    expect(web.isOver(), web.output()).to.equal(false);
    // What is still under way, such as stories of the sandbox, may hold the pool for a moment.
    const order = { pay_amount: '1', order_id: 'o' };
    await until('it serves', async () => (await web.api('POST', '/v1/payment', order)).status === 201);
    // Some clients still do not read: that does not keep it from ending in order either.
    web.signal('SIGTERM');
    expect(await web.ended(), web.output().slice(-2_000)).to.equal(0);
    const errors = web
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"error"'))
      // That it is too busy to look at itself in time is true of such a load.
      .filter((line) => !line.includes('"message":"degraded"'));
    expect(errors).to.deep.equal([]);
  });
});

async function createTargets({ merchant }: Stand, web: Web): Promise<Targets> {
  const made = await Promise.all(
    Array.from({ length: PAYMENTS }, async (_, n) => {
      const answer = await web.api('POST', '/v1/payment', { pay_amount: '10.50', order_id: `fuzz ${n}` });
      return (await answer.json()) as { id: string; token_id: string };
    }),
  );
  const [first, ...others] = made;
  if (first === undefined) throw new Error('no payment');
  return {
    apiKey: merchant.apiKey,
    ids: [first.id, ...others.map(({ id }) => id)],
    tokens: [first.token_id, ...others.map(({ token_id }) => token_id)],
  };
}

/** One connection: requests in pieces, and then an end as hostile clients and bad networks make it. */
async function exchange(port: number, random: Random, targets: Targets, unread: Socket[]): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  const manner = random.of(['read', 'half-close', 'reset', 'cut', 'never read', 'never read']);
  if (manner !== 'never read') socket.resume();
  const bytes = random.chance(manner === 'never read' ? 0.7 : 0.2)
    ? rawPages(random, targets)
    : Array.from({ length: 1 + random.below(30) }, () => rawRequest(random, targets)).join('');
  const sent = manner === 'cut' ? bytes.slice(0, random.below(bytes.length)) : bytes;
  for (let at = 0; at < sent.length && !socket.destroyed;) {
    const piece = sent.slice(at, at + 1 + random.below(random.chance(0.5) ? 65_536 : 700));
    at += piece.length;
    if (!socket.write(piece, 'latin1') || random.chance(0.05)) await sleep(random.below(20));
  }
  if (manner === 'never read') {
    unread.push(socket);
    return;
  }
  await Promise.race([closed, sleep(random.below(300))]);
  if (manner === 'half-close') {
    socket.end();
    await Promise.race([closed, sleep(random.below(300))]);
  }
  if (manner === 'reset') socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}
