import type { Adapters } from '../../adapters.ts';
import type { Handlers } from '../../schedule/job.ts';

/** What the sandbox's endpoints need to run, within a request, the jobs that become due. */
export interface Sandbox {
  readonly adapters: Adapters;
  /** Returns all handlers, with the adapters of a scenario. */
  readonly handlersFor: (adapters: Adapters) => Handlers;
}
