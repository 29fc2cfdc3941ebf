import type { Adapters } from '../../adapters.ts';
import type { Handlers } from '../../../platform/job.ts';

/** What the sandbox's endpoints need to run, within a request, the jobs that become due. */
export interface Sandbox {
  readonly adapters: Adapters;
  /** All handlers, on the outside world that a scenario wants. */
  readonly handlersFor: (adapters: Adapters) => Handlers;
}
