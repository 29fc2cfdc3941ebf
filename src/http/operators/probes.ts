import { Router, type RequestHandler } from 'express';
import type { Context } from '../../platform/context.ts';
import { runOne, sql, type Db } from '../../platform/postgres/db.ts';

/** However often probes come, Postgres is asked at most this often, by one statement at a time. */
const ASK_EVERY_MS = 1_000;

const selectOne = sql<{ one: number }>('probe', 'SELECT 1 AS one');

/**
 * `/livez`: the process responds. `/readyz`: it can serve, so 503 while Postgres is unavailable or the
 * process drains. Both need no limit, because what they cost does not grow with the requests.
 */
export function probes(ctx: Context, isDraining: () => boolean): Router {
  const router = Router();
  const isReady = readiness(ctx.db);
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
  router.get(
    '/readyz',
    show(() => !isDraining() && isReady(), 'ready', 'unavailable'),
  );
  return router;
}

/** Returns whether Postgres responds, as of a second ago at most. */
function readiness(db: Db): () => Promise<boolean> {
  let askedAt = -Infinity;
  let answer = Promise.resolve(false);
  let isAsking = false;
  return () => {
    if (isAsking || performance.now() < askedAt + ASK_EVERY_MS) return answer;
    isAsking = true;
    answer = runOne(db, selectOne, []).then(
      () => true,
      () => false,
    );
    void answer.then(() => {
      isAsking = false;
      askedAt = performance.now();
    });
    return answer;
  };
}
