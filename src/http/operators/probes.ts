import { Router, type RequestHandler } from 'express';
import { isReadyToServe, type ClockReport } from '../../platform/database-clock/report.ts';
import type { HealthSource } from '../../domain/ops/health/monitor.ts';

/** What decides whether a process is ready. */
export interface Readiness {
  readonly health: HealthSource;
  readonly isDraining: () => boolean;
  /** The clock of this machine; beyond its bound, others must get the requests. */
  readonly clock: ClockReport | undefined;
  /** Names of checks without which the process cannot do its work, beside Postgres. */
  readonly needs?: readonly string[];
}

/**
 * `/livez`: the process responds. `/readyz`: it can do its work, so 503 while Postgres does not respond, the
 * process drains or its clock is wrong. Both respond from what the background knows, whatever their
 * number: they have no limit and need no password.
 */
export function probes({ health, isDraining, clock, needs = [] }: Readiness): Router {
  const router = Router();
  const isReady = async () => {
    if (isDraining() || !isReadyToServe(clock)) return false;
    const { isReachable, faults } = await health.report();
    return isReachable && !faults.some(({ check }) => needs.includes(check));
  };
  const show = (probe: () => boolean | Promise<boolean>, good: string, bad: string): RequestHandler => {
    return async (_request, response) => {
      const isGood = await probe();
      response
        .status(isGood ? 200 : 503)
        .set('Cache-Control', 'no-store')
        .json({ status: isGood ? good : bad });
    };
  };
  router.get(
    '/livez',
    show(() => true, 'alive', 'dead'),
  );
  router.get('/readyz', show(isReady, 'ready', 'unavailable'));
  return router;
}
