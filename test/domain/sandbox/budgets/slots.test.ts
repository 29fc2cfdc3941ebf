import { expect } from 'chai';
import { Slots } from '../../../../src/domain/sandbox/budgets/slots.ts';

/** Requests that end when the test says so, and the names of those that run, in the order of their starts. */
function openRequests(slots: Slots) {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (merchant: string, name: string) =>
    slots.run(merchant, async () => {
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      running.splice(running.indexOf(name), 1);
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { running, start, end };
}

const begun = () => new Promise(setImmediate);
const refusal = (answer: unknown) => answer as { code: string; status: number; headers: object };

describe('slots', () => {
  it('run as many requests of a merchant as it may, and refuse one more with Retry-After', async () => {
    const { running, start, end } = openRequests(new Slots({ perMerchant: 2, perProcess: 3, waiting: 0 }));
    const first = start('a', 'a1');
    void start('a', 'a2');
    const refused = refusal(await start('a', 'a3').catch((error: unknown) => error));
    expect(refused).to.include({ code: 'rate_limited', status: 429 });
    expect(refused.headers)
      .to.have.property('Retry-After')
      .that.matches(/^[1-9]\d*$/);
    void start('b', 'b1');
    expect(refusal(await start('c', 'c1').catch((error: unknown) => error)).status).to.equal(429);
    await begun();
    expect(running).to.deep.equal(['a1', 'a2', 'b1']);
    await end('a1');
    await first;
    void start('c', 'c2');
    await begun();
    expect(running).to.deep.equal(['a2', 'b1', 'c2']);
  });

  it('let requests wait, and serve the merchants in turns', async () => {
    const { running, start, end } = openRequests(new Slots({ perMerchant: 2, perProcess: 2, waiting: 3 }));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void start('a', name);
    expect(refusal(await start('a', 'a6').catch((error: unknown) => error)).status).to.equal(429);
    void start('b', 'b1');
    void start('b', 'b2');
    for (const [ended, now] of [
      ['a1', ['a2', 'a3']],
      ['a2', ['a3', 'b1']],
      ['a3', ['b1', 'a4']],
      ['b1', ['a4', 'b2']],
      ['a4', ['b2', 'a5']],
    ] as const) {
      await end(ended);
      expect(running, `after ${ended}`).to.deep.equal(now);
    }
  });

  it('give a slot back that work has left by throwing', async () => {
    const slots = new Slots({ perMerchant: 1, perProcess: 1, waiting: 0 });
    const fail = () => slots.run('a', () => Promise.reject(new Error('failed')));
    for (let time = 0; time < 3; time += 1)
      expect(await fail().catch((error: unknown) => error)).to.include({ message: 'failed' });
  });
});
