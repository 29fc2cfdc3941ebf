import { dispatchEvents } from '../../src/domain/events/dispatch.ts';
import { setWebhookConfig } from '../../src/domain/webhooks/endpoints/settings.ts';
import { run, runOne, sql } from '../../src/platform/postgres/db.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from './receivers.ts';
import type { Shop } from './shop.ts';
import { until } from './until.ts';
import type { Harness } from './harness.ts';

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

/** Every delivery of the harness, oldest event first. */
export const deliveriesIn = ({ ctx }: Harness) => run(ctx.db, allDeliveries, []);

export interface EndpointRow {
  readonly concurrency_limit: number;
  readonly failures: number;
  readonly circuit_open_until: Date | null;
  readonly leased_by: string | null;
  readonly leased_until: Date | null;
  readonly disabled_at: Date | null;
}
const endpointOf = sql<EndpointRow>('test_endpoint', 'SELECT * FROM webhook_endpoints WHERE id = $1');

/** An endpoint's row. Default: that of the merchant's own URL. */
export async function endpointIn({ ctx, merchant }: Harness, id: string = merchant.id): Promise<EndpointRow> {
  const row = await runOne(ctx.db, endpointOf, [id]);
  if (row === null) throw new Error(`there is no endpoint ${id}`);
  return row;
}

export async function configure(
  { ctx, merchant }: Harness,
  webhookUrl: string,
  enabled = true,
): Promise<void> {
  await setWebhookConfig(ctx.db, merchant.id, { webhookUrl, enabled }, ctx.now());
}

/** So many payments, the first event of each fanned out and not yet sent, a second apart. Answers the payments' ids. */
export async function fanOutPayments(
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
  /** Requests that wait for their answer. */
  readonly held: number;
  /** The most requests that ever waited at once. */
  readonly most: number;
  /** What is answered from now on. */
  status: number;
  /** Answers so many of those that wait, the longest waiting first. */
  release(count: number): void;
  /** Answers all that wait, and all that come, at once. */
  open(): void;
  /** Lets those that come from now on wait again. */
  shut(): void;
}

/** Answers nothing until it is told to. */
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

/** The harness's context as a run sees it that can be watched: `lookedTwice` resolves when it has looked for work twice more. */
export function watched({ ctx }: Harness): { ctx: Harness['ctx']; lookedTwice: () => Promise<void> } {
  let looks = 0;
  const systemNow = () => {
    looks += 1;
    return ctx.systemNow();
  };
  return {
    ctx: { ...ctx, systemNow },
    async lookedTwice() {
      const begin = looks;
      // A look reads the time twice, and so does what it may find.
      await until('the run looks again', () => looks >= begin + 5);
    },
  };
}
