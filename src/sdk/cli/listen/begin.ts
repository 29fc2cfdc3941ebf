import { type PaymentCheckout, PermissionError, ValidationError } from '../../client/index.ts';
import { CommandError, UsageError, type Values } from '../command/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { Progress } from './progress.ts';

const PAGE = 100;

/**
 * Where a listener goes on: where it stopped; at the beginning or a time that the call names; else behind
 * what is in the feed now. Events are not forwarded here. Throws UsageError for what is no time.
 */
export async function beginAt(
  terminal: Terminal,
  client: PaymentCheckout,
  values: Values,
  names: readonly string[],
): Promise<Progress> {
  const { env, signal } = terminal;
  const since = values.text('since');
  if (since !== undefined && values.has('from-start'))
    throw new UsageError('--since and --from-start contradict each other');
  if (since !== undefined && Number.isNaN(Date.parse(since)))
    throw new UsageError(`--since must be a date or time (ISO 8601), not "${since}"`);
  const stored = Progress.find(env, names);
  if (stored !== null && since === undefined && !values.has('from-start')) return stored;
  const redeliveriesAfter = await endOfRedeliveries(client, signal);
  return Progress.begin(env, names, { ...(await beginning(client, values, signal)), redeliveriesAfter });
}

async function beginning(client: PaymentCheckout, values: Values, signal: AbortSignal) {
  if (values.has('from-start')) return {};
  const since = values.text('since');
  // The feed cannot be entered by a time: what is older is read and passed over.
  return since === undefined
    ? { after: await endOfFeed(client, signal) }
    : { since: new Date(since).toISOString() };
}

/** The cursor behind the newest event, null while there is none. It begins near the end where it can. */
async function endOfFeed(client: PaymentCheckout, signal: AbortSignal): Promise<string | null> {
  let after = await newestEvent(client, signal);
  for (;;) {
    const page = await client.events.list({ after, limit: PAGE }, { signal }).catch((error: unknown) => {
      // A story's payment was deleted in between.
      if (error instanceof ValidationError && error.details?.constraint === 'event') return null;
      throw error;
    });
    after = page?.pagination.next_cursor ?? undefined;
    if (page !== null && !page.pagination.has_more) return after ?? null;
  }
}

async function newestEvent(client: PaymentCheckout, signal: AbortSignal): Promise<string | undefined> {
  const newest = await client.deliveries.list({ limit: 1 }, { signal }).catch((error: unknown) => {
    // Without the permission for the log the feed is read from its beginning.
    if (error instanceof PermissionError) return null;
    throw error;
  });
  return newest?.data[0]?.event_id;
}

async function endOfRedeliveries(client: PaymentCheckout, signal: AbortSignal): Promise<string | null> {
  let after: string | null = null;
  for (;;) {
    const { pagination } = await client.events.redeliveries({ after: after ?? undefined }, { signal });
    after = pagination.next_cursor;
    if (!pagination.has_more) return after;
  }
}

/**
 * Enters the feed again where the service does not know the cursor any more, because it restored a backup:
 * behind the newest event that is done and that it still has. Throws CommandError where it has none.
 */
export async function reenterFeed(
  client: PaymentCheckout,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  for (const id of [...progress.at.newest].reverse()) {
    const isKnown = await client.events.list({ after: id, limit: 1 }, { signal }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ValidationError) return false;
        throw error;
      },
    );
    if (isKnown) return progress.set({ after: id, done: [] });
  }
  throw new CommandError(
    'the service does not know where this listener stopped: use --since or --from-start',
  );
}
