import { Gauge } from 'prom-client';
import type { Context } from '../../platform/context.ts';

/**
 * The metric of the machine's clock, to be registered. The alert is on its size: which of the two clocks is
 * wrong is seen by comparing processes.
 */
export function clockGauge({ clock }: Context): Gauge {
  return new Gauge({
    name: 'clock_offset_seconds',
    help: "How far the system clock of this process's machine is ahead of the database's; negative: behind.",
    registers: [],
    collect() {
      // Without a measurement there is no offset, and a 0 would look like a clock that is right.
      if (clock === undefined || clock.state === 'unmeasured') {
        this.remove();
        return;
      }
      this.set(clock.offsetSeconds);
    },
  });
}
