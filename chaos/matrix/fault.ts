import type { Engine, Stand } from '../stand/stand.ts';

/** A fault of the matrix. */
export interface Fault {
  readonly name: string;
  /** The engines on which it makes sense; default: both. */
  readonly on?: Engine;
  /** Between `begin` and `end`. */
  readonly lastsSeconds: number;
  /** Web itself is hit: until the end of the fault no response is expected of it. */
  readonly hitsWeb?: boolean;
  /** Why the fault cannot be caused here; default: it can. */
  readonly impossible?: (stand: Stand) => string | null;
  /** What must stand before it begins; processes are restarted for it, which is no part of the fault. */
  readonly prepare?: (stand: Stand) => Promise<void>;
  begin(stand: Stand): Promise<void> | void;
  /** Ends the fault; resolves when what was hit runs again. */
  end(stand: Stand): Promise<void> | void;
  /** Removes what `prepare` has set up, once all is well. */
  readonly restore?: (stand: Stand) => Promise<void>;
}
