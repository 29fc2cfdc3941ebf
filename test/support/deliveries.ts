import { createHash } from 'node:crypto';
import { dispatchEvents } from '../../src/domain/events/dispatch.ts';
import { deliverWebhook } from '../../src/domain/webhooks/endpoints/jobs.ts';
import { setWebhookConfig } from '../../src/domain/webhooks/endpoints/settings.ts';
import { run, runOne, sql } from '../../src/platform/postgres/db.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from './receivers.ts';
import { openShop, type Shop } from './shop.ts';
import { until } from './until.ts';
import { createHarness, type Harness } from './harness.ts';

/** A run that a busy machine does not end in the middle of a backlog. */
export const LONG_RUN = { runMs: 120_000 };

/** What a request came to whose receiver said 200. */
export const ANSWER = {
  ok: true,
  statusCode: 200,
  errorClass: null,
  errorDetail: null,
  remoteAddress: '127.0.0.1',
  durationMs: 1,
  retryAfter: null,
  excerpt: '',
};

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly payment_id: string;
  readonly endpoint_id: string;
  readonly sequence: number;
  readonly status: string;
  readonly failed_because: string | null;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
}
const allDeliveries = sql<DeliveryRow>('test_all_deliveries', 'SELECT * FROM deliveries ORDER BY id');

/** All deliveries, oldest event first. */
export const deliveriesIn = ({ ctx }: Harness) => run(ctx.db, allDeliveries, []);

export interface EndpointRow {
  readonly concurrency_limit: number;
  readonly failures: number;
  readonly circuit_open_until: Date | null;
  readonly leased_by: string | null;
  readonly leased_until: Date | null;
  readonly disabled_at: Date | null;
}
const endpointOf = sql<EndpointRow, { id: string }>(
  'test_endpoint',
  (p) => `SELECT * FROM webhook_endpoints WHERE id = ${p.id}`,
);

/** An endpoint's row; by default of the merchant's own URL. */
export async function endpointIn({ ctx, merchant }: Harness, id: string = merchant.id): Promise<EndpointRow> {
  const row = await runOne(ctx.db, endpointOf, { id });
  if (row === null) throw new Error(`the endpoint ${id} does not exist`);
  return row;
}

/** The id of the endpoint of a payment's callback URL. */
export function callbackEndpointId(merchantId: string, callbackUrl: string): string {
  const url = new URL(callbackUrl).href.replace(/[?#].*/, '');
  return `${merchantId} ${createHash('sha256').update(url).digest('hex')}`;
}

const deliveryJobOf = sql<{ visible_at: Date }, { job: string; key: string }>(
  'test_delivery_job',
  (p) => `SELECT visible_at FROM scheduled_jobs WHERE job = ${p.job} AND key = ${p.key}`,
);

/** The scheduled job of the endpoint of the merchant's own URL; null: it is not scheduled. */
export const deliveryJobIn = ({ ctx, merchant }: Harness) =>
  runOne(ctx.db, deliveryJobOf, { job: deliverWebhook.name, key: merchant.id });

export async function configure(
  { ctx, merchant }: Harness,
  webhookUrl: string,
  enabled = true,
): Promise<void> {
  await setWebhookConfig(ctx.db, merchant.id, { webhookUrl, enabled }, ctx.now());
}

/**
 * Creates payments, a second apart, and the delivery of each one's first event, not sent yet. Returns their
 * ids.
 */
export async function createPaymentsWithDeliveries(
  harness: Harness,
  shop: Shop,
  count: number,
  body?: Parameters<Shop['create']>[0],
): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const id = await shop.create(body);
    ids.push(id);
    await dispatchEvents(
      harness.ctx,
      (await shop.events(id)).map((event) => event.id),
    );
    harness.advance(1);
  }
  return ids;
}

export interface HoldingReceiver extends Receiver {
  /** How many requests wait for their response. */
  readonly held: number;
  /** The most requests that waited at once. */
  readonly most: number;
  /** The status of responses from now on. */
  status: number;
  /** Responds to `count` of the waiting requests, the oldest first. */
  release(count: number): void;
  /** Responds to all waiting requests, and to new ones at once. */
  open(): void;
  /** Makes new requests wait again. */
  shut(): void;
}

/** A receiver that responds only when the test releases requests. */
export async function startHoldingReceiver(
  onRequest: (request: ReceivedRequest) => () => void = () => () => undefined,
): Promise<HoldingReceiver> {
  const waiting: (() => void)[] = [];
  const state = { most: 0, status: 200, isOpen: false };
  const receiver = await startReceiver({
    async answer(request) {
      const onAnswer = onRequest(request);
      if (!state.isOpen)
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          state.most = Math.max(state.most, waiting.length);
        });
      onAnswer();
      return { status: state.status };
    },
  });
  const release = (count: number) => {
    for (const answer of waiting.splice(0, count)) answer();
  };
  const own = {
    get held() {
      return waiting.length;
    },
    get most() {
      return state.most;
    },
    get status() {
      return state.status;
    },
    set status(status: number) {
      state.status = status;
    },
    release,
    open() {
      state.isOpen = true;
      release(waiting.length);
    },
    shut() {
      state.isOpen = false;
    },
  };
  return Object.defineProperties(receiver, Object.getOwnPropertyDescriptors(own)) as HoldingReceiver;
}

/** A context that counts a run's looks for due deliveries: `lookedTwice` resolves after two more of them. */
export function watched({ ctx }: Harness): { ctx: Harness['ctx']; lookedTwice: () => Promise<void> } {
  let looks = 0;
  const counted = (clock: Harness['ctx']['now']) => () => {
    looks += 1;
    return clock();
  };
  return {
    ctx: { ...ctx, now: counted(ctx.now), systemNow: counted(ctx.systemNow) },
    async lookedTwice() {
      const begin = looks;
      // A look reads the clock once while nothing is new, otherwise up to three times, and so may recording.
      await until('the run looks again', () => looks >= begin + 5);
    },
  };
}

/** Sets up a harness, its shop and the holding receiver of its merchant for each test. */
export function eachHoldingReceiver(
  take: (opened: { harness: Harness; shop: Shop; receiver: HoldingReceiver }) => unknown,
): void {
  let harness: Harness;
  let receiver: HoldingReceiver;
  beforeEach(async () => {
    harness = await createHarness();
    const shop = await openShop(harness);
    // What the start schedules is done before the tests begin.
    await harness.work();
    receiver = await startHoldingReceiver();
    await configure(harness, receiver.url);
    await take({ harness, shop, receiver });
  });
  afterEach(async () => {
    await receiver.close();
    await harness.close();
  });
}
