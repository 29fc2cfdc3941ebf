import {
  ConnectionError,
  type PaymentCheckout,
  type PaymentCheckoutError,
  RateLimitError,
  ServerError,
  ValidationError,
} from '../../client/index.ts';
import { EVENT_TYPES } from '../../index.ts';
import { option, UsageError, type Call, type Command } from '../command/command.ts';
import { clientFor, identify } from '../settings/connect.ts';
import { findLogin } from '../settings/profiles.ts';
import { beginAt, reenterFeed } from './begin.ts';
import { forward, type Receiver } from './forward.ts';
import type { Progress } from './progress.ts';
import { localSecret } from './secret.ts';

const PAGE = 50;
/** 40 requests a minute to each of two endpoints, which allow 60. */
const EVERY_MS = 1_500;
/** After the client's own retries. */
const UNREACHABLE_MS = 5_000;

export const listen: Command = {
  name: 'listen',
  summary: 'Forwards events to a receiver, signed and in order, and goes on where it stopped.',
  options: [
    option('forward-to URL!', 'the receiver, such as http://localhost:4000/hooks'),
    option('type TYPE', 'only these, separated by commas', EVENT_TYPES),
    option('since TIME', 'begin with the events from this time on (ISO 8601)'),
    option('from-start', 'begin with the oldest event (90 days)'),
    option('skip-after N', 'pass over an event after N attempts; default: wait for the receiver'),
    option('sign-with WHOSE', 'secret; default: local, of this machine', ['local', 'merchant']),
    option('show-secret', 'show the local secret again'),
  ],
  example: 'listen --forward-to http://localhost:4000/hooks',
  async run(call) {
    const { terminal, output, values } = call;
    const login = findLogin(terminal.env, values.text('profile'));
    const client = clientFor(terminal, login);
    const { merchant_id = '' } = await identify(terminal, login);
    const url = receiverUrl(values.text('forward-to') ?? '');
    const receiver = {
      url,
      secrets: await secretsFor(call, client),
      skipAfter: values.number('skip-after'),
    };
    const progress = await beginAt(terminal, client, values, [login.url, merchant_id, url]);
    output.note(`Forwarding the events of ${merchant_id} to ${url}. Ctrl-C ends it.`);
    return follow({
      call,
      client,
      receiver,
      progress,
      types: values.text('type')?.split(',') ?? EVENT_TYPES,
    });
  },
};

function receiverUrl(text: string): string {
  const url = /^https?:\/\/[^/]/.test(text) ? new URL(text) : null;
  if (url === null || url.username + url.password !== '')
    throw new UsageError('--forward-to must be an http(s) URL without credentials');
  return url.href;
}

/** What signs. A local secret is shown on standard error when it is made. */
async function secretsFor(
  { terminal, output, values }: Call,
  client: PaymentCheckout,
): Promise<readonly string[]> {
  if (values.text('sign-with') === 'merchant') {
    const { secret, previous } = await client.webhooks.secrets({ signal: terminal.signal });
    return [secret, ...previous.map((one) => one.secret)];
  }
  const { secret, isNew } = localSecret(terminal.env);
  if (isNew || values.has('show-secret'))
    output.note(`Signed with ${secret}\nSet it in the receiver (WEBHOOK_SECRET); it stays the same.`);
  return [secret];
}

interface Listener {
  readonly call: Call;
  readonly client: PaymentCheckout;
  readonly receiver: Receiver;
  readonly progress: Progress;
  readonly types: readonly string[];
}

/** Follows the feed until the program is to end. While the service is away, it waits for it. */
async function follow(listener: Listener): Promise<number> {
  const { terminal, output } = listener.call;
  const { signal } = terminal;
  while (!signal.aborted)
    try {
      if (await forwardPageOnce(listener)) continue;
      if (await forwardRedeliveriesOnce(listener)) continue;
      await terminal.sleep(EVERY_MS, signal);
    } catch (error) {
      if (signal.aborted) break;
      if (!isPassing(error)) throw error;
      output.note(`${error.message}; trying again in ${UNREACHABLE_MS / 1000} s`);
      await terminal.sleep(UNREACHABLE_MS, signal).catch(() => {});
    }
  return 0;
}

function isPassing(error: unknown): error is PaymentCheckoutError {
  return error instanceof ConnectionError || error instanceof ServerError || error instanceof RateLimitError;
}

/** Forwards one page of the feed, one event after the other; returns whether there is more at once. */
async function forwardPageOnce({ call, client, receiver, progress, types }: Listener): Promise<boolean> {
  const { signal } = call.terminal;
  const { after, since } = progress.at;
  const page = await client.events
    .list({ after: after ?? undefined, limit: PAGE }, { signal })
    .catch(async (error: unknown) => {
      if (!(error instanceof ValidationError) || after === null) throw error;
      await reenterFeed(client, progress, signal);
      return null;
    });
  if (page === null) return true;
  const { has_more: hasMore, next_cursor: next } = page.pagination;
  for (const event of page.data) {
    if (progress.isDone(event.id)) continue;
    const isWanted = types.includes(event.type) && (since === null || event.timestamp >= since);
    if (!isWanted) continue;
    await forward(call, receiver, event, false);
    progress.finish(event.id);
  }
  if (page.data.length > 0 || (since !== null && !hasMore))
    progress.set({ after: next, done: [], ...(hasMore ? {} : { since: null }) });
  return hasMore;
}

/**
 * Forwards what was asked to be delivered again, once the feed is forwarded: an event never comes before
 * those of its payment that are older. Returns whether there is more at once.
 */
async function forwardRedeliveriesOnce({
  call,
  client,
  receiver,
  progress,
  types,
}: Listener): Promise<boolean> {
  const { signal } = call.terminal;
  const { redeliveriesAfter: after } = progress.at;
  const page = await client.events
    .redeliveries({ after: after ?? undefined }, { signal })
    .catch((error: unknown) => {
      // The service restored a backup: what was asked of it before is gone.
      if (error instanceof ValidationError && after !== null) return null;
      throw error;
    });
  if (page === null) {
    progress.set({ redeliveriesAfter: null, redeliveriesDone: [] });
    return true;
  }
  for (const { requested_at: at, event } of page.data) {
    const { redeliveriesDone } = progress.at;
    const request = `${at} ${event.id}`;
    if (redeliveriesDone.includes(request) || !types.includes(event.type)) continue;
    await forward(call, receiver, event, true);
    progress.set({ redeliveriesDone: [...redeliveriesDone, request] });
  }
  if (page.data.length > 0)
    progress.set({ redeliveriesAfter: page.pagination.next_cursor, redeliveriesDone: [] });
  return page.pagination.has_more;
}
