import { connect } from 'node:net';
import { expect } from 'chai';
import type { Environment } from '../../src/platform/config/config.ts';
import { endAll, freePort } from '../processes/service.ts';
import { createStand, type Stand, type Web, type Worker } from '../processes/stand.ts';
import { ALERT_RULES, ALERTS_THAT_FIRE } from './alert-cases.ts';
import type { TestDatabase } from './postgres.ts';
import { judgeFiring, judgeSilence, scrapeAll, type Course, type Scrape, type Target } from './prometheus.ts';
import { until } from './until.ts';

const PASSWORD = 'a word for prometheus';
/** Longer than any look of a check, and than the patience with a queue or with a transaction. */
const SHOWS_WITHIN_MS = 100_000;
/** A scrape costs the processes more than what they do otherwise. */
const SCRAPE_EVERY_MS = 500;

/**
 * A web and a worker whose /metrics are scraped before and while something happens to them. Only time is laid
 * out: promtool takes what two scrapes have shown on for 25 minutes.
 */
export class AlertStand {
  readonly stand: Stand;
  readonly web: Web;
  worker: Worker;
  targets: readonly Target[];
  readonly #fired = new Set<string>();

  private constructor(stand: Stand, web: Web, worker: Worker, targets: readonly Target[]) {
    this.stand = stand;
    this.web = web;
    this.worker = worker;
    this.targets = targets;
  }

  /** `worker`: variables of the worker alone. */
  static async open(
    env: Environment = {},
    { worker: own = {}, database }: { worker?: Environment; database?: TestDatabase } = {},
  ): Promise<AlertStand> {
    const stand = await createStand({ ADMIN_PASSWORD: PASSWORD, ...env }, database);
    const port = await freePort();
    const [web, worker] = await Promise.all([
      stand.startWeb(),
      stand.startWorker({ ADMIN_PORT: String(port), ...own }),
    ]);
    return new AlertStand(stand, web, worker, [targetOf('web', web.port), targetOf('worker', port)]);
  }

  /** Starts another web, which is scraped as well. */
  async addWeb(...args: Parameters<Stand['startWeb']>): Promise<Web> {
    const web = await this.stand.startWeb(...args);
    this.targets = [...this.targets, targetOf('another web', web.port)];
    return web;
  }

  async close(): Promise<void> {
    await endAll();
    await this.stand.close();
  }

  scrape(): Promise<Scrape> {
    return scrapeAll(this.targets, PASSWORD);
  }

  /** Scrapes until every process shows every metric: on a busy machine one may be late. */
  untilWhole(): Promise<Scrape> {
    return this.until('every metric is shown', ({ values }) =>
      [...values].every(
        ([series, value]) =>
          !series.startsWith('metric_failing') && !(series.startsWith('up{') && value === 0),
      ),
    );
  }

  /** Scrapes until each of these series, of which the beginning is given, has a value that is not 0. */
  untilShown(...series: string[]): Promise<Scrape> {
    return this.until(`never shown: ${series.join(', ')}`, (latest) =>
      series.every((start) => (valueOf(latest, start) ?? 0) > 0),
    );
  }

  /** Scrapes until every process shows an age, and again until all show a greater one. */
  async untilGrown(series: string): Promise<Course> {
    const agesIn = ({ values }: Scrape) =>
      [...values].flatMap(([name, value]) => (name.startsWith(series) && value > 0 ? [value] : []));
    const isShown = (latest: Scrape) => agesIn(latest).length === this.targets.length;
    const before = await this.until(`never shown: ${series}`, isShown);
    const most = Math.max(...agesIn(before));
    const isGreater = (latest: Scrape) => isShown(latest) && Math.min(...agesIn(latest)) > most;
    return { before, after: await this.until(`does not grow: ${series}`, isGreater), ages: true };
  }

  /** Scrapes until something can be seen. */
  async until(what: string, isSeen: (latest: Scrape) => boolean): Promise<Scrape> {
    let latest = await this.scrape();
    const look = async () => {
      if (isSeen(latest)) return true;
      latest = await this.scrape();
      return isSeen(latest);
    };
    await until(what, look, SHOWS_WITHIN_MS, SCRAPE_EVERY_MS);
    return latest;
  }

  /** These alerts fire, by what promtool says. */
  expectFiring(alerts: readonly string[], course: Course): void {
    const rules = ALERT_RULES.filter(({ alert }) => alerts.includes(alert));
    expect(rules.map(({ alert }) => alert)).to.have.members(alerts);
    expect(judgeFiring(rules, course)).to.equal('');
    for (const alert of alerts) this.#fired.add(alert);
  }

  /** What promtool says where one of all alerts fires. */
  faultsOf(course: Course): string {
    return judgeSilence(ALERT_RULES, course);
  }

  /** The last test of a file: its alerts are those that have fired. */
  expectFired(file: keyof typeof ALERTS_THAT_FIRE): void {
    expect([...this.#fired]).to.include.members([...ALERTS_THAT_FIRE[file]]);
  }
}

/** The value of the first series that begins so. */
export function valueOf({ values }: Pick<Scrape, 'values'>, start: string): number | undefined {
  return [...values].find(([series]) => series.startsWith(start))?.[1];
}

/** So many requests with a wrong password, on one connection; returns the responses. */
export async function guessPassword({ port }: Web, count: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  const guess = `GET /metrics HTTP/1.1\r\nHost: web\r\nAuthorization: Basic ${btoa('admin:a guess')}\r\n`;
  socket.write(`${guess}\r\n`.repeat(count - 1) + `${guess}Connection: close\r\n\r\n`);
  return (await socket.toArray()).join('');
}

function targetOf(name: string, port: number): Target {
  return { name, url: `http://127.0.0.1:${port}/metrics` };
}
