import { createHmac, timingSafeEqual } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { startEmbeddedPostgres } from '../../dev/embedded-postgres/start.ts';
import { findRunningEmbeddedPostgres } from '../../dev/embedded-postgres/find.ts';
import { createCheckout, type Checkout, type Terminal } from '../processes/checkout.ts';
import { freePort } from '../processes/service.ts';
import { until } from '../support/until.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from '../support/receivers.ts';

/**
 * `npm run smoke`: a newcomer's first steps, without mocks: `npm run dev`, the curl line that it prints, a
 * payment that settles, webhooks that arrive at an HTTP server and are verified by third-party code, Ctrl-C.
 * It runs in a copy of the checkout, so that it neither disturbs a running `npm run dev` nor finds its data.
 * It prints one line per step; a failed step prints the reason and sets exit code 1.
 */
const STORY = ['checkout.created', 'checkout.pending', 'checkout.processing', 'checkout.settled'];
const SETTLED_WITHIN_MS = 45_000;
/** The API's limit is 120 a minute. */
const POLL_MS = 1_000;
const TOLERANCE_SECONDS = 300;
/**
 * One after the other, as fast as this machine goes: runs of the endpoint begin while others end. At a rate
 * that it cannot keep, one run would send everything.
 */
const STEADY = { payments: 600, pauseMs: 5 };

interface Payment {
  readonly id: string;
  readonly status: string;
  readonly settled_at: string | null;
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly checkout: { readonly id: string; readonly status: string } };
}

const begun = performance.now();
const checkout = await createCheckout();
const receiver = await startReceiver();
const port = await freePort();
const terminal = checkout.npm(['run', 'dev'], { PORT: String(port), RATE_LIMIT_SCALE: '100' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  await smoke(checkout, terminal, receiver);
  step('done');
} catch (error) {
  console.error(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  console.error(`npm run dev said:\n${terminal.output()}`);
  process.exitCode = 1;
} finally {
  if (!terminal.isOver()) terminal.killAll();
  await receiver.close();
  await removeData();
}

async function smoke(checkout: Checkout, terminal: Terminal, receiver: Receiver): Promise<void> {
  await terminal.says('Stop with Ctrl-C');
  const { base_url, api_key, webhook_secret } = checkout.facts();
  step(`npm run dev answers on ${base_url}`);

  const api = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const headers = { 'X-API-Key': api_key, 'Content-Type': 'application/json' };
    const answer = await fetch(base_url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answered: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answered)}`);
    return answered;
  };
  await api('PUT', '/v1/webhooks/config', { webhookUrl: receiver.url, enabled: true });
  const { secret } = (await api('GET', '/v1/webhooks/secrets')) as { secret: string };
  check(secret === webhook_secret, 'the secret in .data/dev.json is the one that the API answers');
  step(`webhooks go to ${receiver.url}`);

  const created = await runPrintedLine(terminal.output());
  check(created.status === 'WAITING', `the payment begins as WAITING, not ${created.status}`);
  step(`the printed curl line created ${created.id}`);

  let payment = created;
  await until(
    'the payment is SETTLED',
    async () => {
      await sleep(POLL_MS);
      payment = (await api('GET', `/v1/payment/${created.id}`)) as Payment;
      return payment.status === 'SETTLED';
    },
    SETTLED_WITHIN_MS,
  );
  check(payment.settled_at !== null, 'settled_at is set');
  step('it is SETTLED');

  const requests = await receiver.waitFor(STORY.length);
  const events = requests
    .map((request) => verified(request, secret))
    .toSorted((a, b) => a.sequence - b.sequence);
  check(
    JSON.stringify(events.map(({ type }) => type)) === JSON.stringify(STORY),
    `the events are ${STORY.join(', ')}, not ${events.map(({ type }) => type).join(', ')}`,
  );
  check(
    events.every((event, i) => event.sequence === i + 1 && event.data.checkout.id === created.id),
    'the events are numbered without gaps, and are those of this payment',
  );
  check(events.at(-1)?.data.checkout.status === 'SETTLED', 'the last one says SETTLED');
  let deliveries: readonly { status: string; attempts: number }[] = [];
  // The log hears of an attempt after the receiver has answered it.
  await until('the log has each event as delivered', async () => {
    const list = await api('GET', `/v1/webhooks/deliveries?payment_id=${created.id}`);
    deliveries = (list as { data: typeof deliveries }).data;
    return deliveries.length === STORY.length && deliveries.every(({ status }) => status === 'delivered');
  });
  check(
    deliveries.every(({ attempts }) => attempts === 1),
    'each delivery has one attempt',
  );
  step(`${requests.length} webhooks arrived; both signatures of each are good`);

  const steady = await createSteadily(() =>
    api('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'steady' }),
  );
  await receiver.waitFor(STEADY.payments, {
    matches: ({ rawBody }) => steady.has(idOfCreated(rawBody)),
    timeoutMs: SETTLED_WITHIN_MS,
  });
  const ids = receiver.requests.map(({ headers }) => String(headers['webhook-id']));
  const again = ids.filter((id, place) => ids.indexOf(id) !== place);
  check(again.length === 0, `no event arrives twice, not ${again.join(', ')}`);
  step(`${STEADY.payments} payments one after the other: each of ${ids.length} events arrived once`);

  terminal.pressCtrlC();
  await terminal.ended();
  check(terminal.output().includes('draining'), 'Ctrl-C is heard');
  check(!terminal.output().includes('could not drain'), 'everything was closed');
  check((await findRunningEmbeddedPostgres(dataDir())) === null, 'Postgres ended, too');
  step('Ctrl-C ended it, and its database');
}

/** Creates payments one after the other, and returns their ids. */
async function createSteadily(create: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  while (ids.size < STEADY.payments) {
    ids.add(((await create()) as Payment).id);
    await sleep(STEADY.pauseMs);
  }
  return ids;
}

/** The id of the payment that an event says was created; empty: it is another event. */
function idOfCreated(rawBody: Buffer): string {
  const { type, data } = JSON.parse(rawBody.toString()) as Event;
  return type === 'checkout.created' ? data.checkout.id : '';
}

/** Runs the line as a user pastes it: through a shell. */
async function runPrintedLine(output: string): Promise<Payment> {
  const line = /^ *(curl -s .*)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error('npm run dev prints no curl line');
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
  if (status === 0) return JSON.parse(stdout) as Payment;
  if (status !== 127) throw new Error(`the printed curl line ends with ${status}: ${stderr}${stdout}`);
  step('there is no curl here: fetch sends what it would send');
  const [, url = '', key = '', body = ''] =
    /^curl -s (\S+) -H 'X-API-Key: (\S+)' -H 'Content-Type: application\/json' -d '(.*)'$/.exec(line) ?? [];
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  return (await (await fetch(url, { method: 'POST', headers, body })).json()) as Payment;
}

/** The event, once the npm package and the specification's rules have verified the bytes that arrived. */
function verified({ rawBody, headers }: ReceivedRequest, secret: string): Event {
  const text = rawBody.toString();
  const received = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  new Webhook(secret).verify(text, received);

  const { 'x-webhook-timestamp': timestamp = '', 'x-webhook-signature': signature = '' } = received;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex');
  check(
    expected.length === signature.length && timingSafeEqual(Buffer.from(expected), Buffer.from(signature)),
    "X-Webhook-Signature is the specification's HMAC",
  );
  check(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS, 'X-Webhook-Timestamp is fresh');
  const event = JSON.parse(text) as Event;
  check(headers['webhook-id'] === event.id, 'webhook-id is the id of the event');
  return event;
}

function check(isTrue: boolean, expectation: string): void {
  if (!isTrue) throw new Error(`expected: ${expectation}`);
}

function step(text: string): void {
  console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ${text}`);
}

function dataDir(): string {
  return join(checkout.folder, '.data/postgres');
}

/** A failed run may have left Postgres running. */
async function removeData(): Promise<void> {
  if (existsSync(dataDir()))
    await (await startEmbeddedPostgres({ dataDir: dataDir(), log: () => undefined })).stop();
  await checkout.remove();
}
