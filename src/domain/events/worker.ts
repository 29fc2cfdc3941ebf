import { dispatchEvent } from '../outbox/jobs.ts';
import type { Handler } from '../schedule/job.ts';
import { dispatchEvents } from './dispatch.ts';

/** The handlers of events. When `receiver` is not null, every event is delivered to that URL. */
export function eventHandlers(receiver: string | null): readonly Handler[] {
  return [{ job: dispatchEvent, handle: (ctx, ids) => dispatchEvents(ctx, ids, receiver) }];
}
