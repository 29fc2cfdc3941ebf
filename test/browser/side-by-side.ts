/** How many cases of a file run at a time: with two files, enough to keep two cores busy while some wait. */
const AT_A_TIME = 3;

/** Defines a test like `it`. */
export type DefineCase = (name: string, run: () => Promise<void>) => void;

interface Case {
  readonly run: () => Promise<void>;
  result: Promise<void> | null;
}

/**
 * Returns an `it` for the suite that is being defined, whose cases run several at a time. Each is a test of
 * its own: it has its name, its place in the report and its own failure. A case starts when its test runs or
 * when one before it makes room, so that a run of selected tests (`--grep`) starts no more than what follows
 * the first of them.
 *
 * Must be called before the suite's `after` hooks are registered: they take away what a case that still runs
 * needs.
 */
export function sideBySide(): DefineCase {
  const cases: Case[] = [];
  let running = 0;
  let isOver = false;

  const start = (one: Case): Promise<void> => {
    running += 1;
    one.result = one.run().finally(() => {
      running -= 1;
      startMore(cases.indexOf(one));
    });
    // The test that belongs to it may be far down the list, or not selected: it reports the failure, and
    // nobody else does.
    one.result.catch(() => undefined);
    return one.result;
  };
  const startMore = (from: number): void => {
    for (const one of cases.slice(from)) {
      if (isOver || running >= AT_A_TIME) return;
      if (one.result === null) void start(one);
    }
  };

  after(async () => {
    isOver = true;
    await Promise.allSettled(cases.flatMap(({ result }) => result ?? []));
  });
  return (name, run) => {
    const one: Case = { run, result: null };
    const place = cases.push(one) - 1;
    it(name, async () => {
      const result = one.result ?? start(one);
      startMore(place);
      await result;
    });
  };
}
