import { expect } from 'chai';
import { Batch } from '../../src/platform/batch.ts';
import { Overloaded } from '../../src/platform/postgres/unavailable.ts';

/** What Postgres says of a statement that ran out of time. */
const OUT_OF_TIME = Object.assign(new Error('canceling statement due to statement timeout'), {
  code: '57014',
});

describe('a batch', () => {
  let runs: { items: readonly string[]; end: (error?: Error) => void }[];
  let batch: Batch<string, string>;
  beforeEach(() => {
    runs = [];
    const run = (items: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        const end = (error?: Error) =>
          error === undefined ? resolve(items.map((item) => `${item} done`)) : reject(error);
        runs.push({ items, end });
      });
    batch = new Batch(run, { size: 3, waiting: 5 });
  });

  const turn = () => new Promise(setImmediate);
  const itemsOf = () => runs.map(({ items }) => items.join());
  const endAll = async (error?: Error) => {
    for (let ended = 0; ended < runs.length; ended += 1) {
      runs[ended]?.end(error);
      await turn();
    }
  };

  /** Begins a run with the one item. */
  const begin = async (item: string) => {
    const result = batch.do(item);
    await turn();
    return { result };
  };

  it('runs together what comes in one turn of the event loop, at most as many as it may', async () => {
    const results = Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => batch.do(item)));
    await turn();
    expect(itemsOf()).to.deep.equal(['a,b,c']);
    await endAll();
    expect(itemsOf()).to.deep.equal(['a,b,c', 'd,e']);
    expect(await results).to.deep.equal(['a done', 'b done', 'c done', 'd done', 'e done']);
  });

  it('runs together what comes while a run is under way, once it has ended', async () => {
    const { result } = await begin('a');
    const others = Promise.all(['b', 'c'].map((item) => batch.do(item)));
    await turn();
    expect(itemsOf()).to.deep.equal(['a']);
    await endAll();
    expect(itemsOf()).to.deep.equal(['a', 'b,c']);
    expect([await result, ...(await others)]).to.deep.equal(['a done', 'b done', 'c done']);
  });

  it('runs the items of a run that failed one by one, so that one of them fails alone', async () => {
    const { result: first } = await begin('a');
    const others = Promise.allSettled(['b', 'bad', 'c'].map((item) => batch.do(item)));
    const refused = new Error('the row is refused');
    for (let ended = 0; ended < runs.length; ended += 1) {
      const one = runs[ended];
      one?.end(one.items.includes('bad') ? refused : undefined);
      await turn();
    }
    expect(itemsOf()).to.deep.equal(['a', 'b,bad,c', 'b', 'bad', 'c']);
    expect(await first).to.equal('a done');
    expect((await others).map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).to.deep.equal([
      'b done',
      refused,
      'c done',
    ]);
  });

  it('gives up with a run that ran out of time what waits for it, and goes on with what comes later', async () => {
    const { result } = await begin('a');
    const all = Promise.allSettled([result, ...['b', 'c'].map((item) => batch.do(item))]);
    runs[0]?.end(OUT_OF_TIME);
    expect((await all).map((one) => one.status === 'rejected' && one.reason)).to.deep.equal([
      OUT_OF_TIME,
      OUT_OF_TIME,
      OUT_OF_TIME,
    ]);
    expect(itemsOf()).to.deep.equal(['a']);
    const { result: later } = await begin('d');
    await endAll();
    expect(await later).to.equal('d done');
  });

  it('gives up what waits for a run with an error that its owner picks', async () => {
    const own = new Error('no reply');
    let count = 0;
    const fail = () => {
      count += 1;
      return Promise.reject(own);
    };
    const failing = new Batch<string, string>(fail, { size: 3, waiting: 5 }, (error) => error === own);
    const all = await Promise.allSettled(['a', 'b', 'c'].map((item) => failing.do(item)));
    expect(all.map((one) => one.status === 'rejected' && one.reason)).to.deep.equal([own, own, own]);
    expect(count).to.equal(1);
  });

  it('refuses what comes while as many wait as may', async () => {
    const { result } = await begin('a');
    const all = [result, ...['b', 'c', 'd', 'e', 'f'].map((item) => batch.do(item))];
    const refused = await batch.do('g').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Overloaded);
    await endAll();
    expect(await Promise.all(all)).to.have.length(6);
  });
});
