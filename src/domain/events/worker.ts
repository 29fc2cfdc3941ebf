import { dispatchEvent } from '../outbox/jobs.ts';
import type { Handler } from '../../platform/job.ts';
import { dispatchEvents } from './dispatch.ts';

/** The handlers of events; `receiver` is the URL that takes every event where it is not null. */
export function eventHandlers(receiver: string | null): readonly Handler[] {
  return [{ job: dispatchEvent, handle: (ctx, ids) => dispatchEvents(ctx, ids, receiver) }];
}
