import { expect } from 'chai';
import { Handovers } from '../../../src/background/relay/handovers.ts';
import type { LeasedJob } from '../../../src/platform/handover.ts';

const NOW = new Date('2026-11-25T12:00:00Z');
const END = new Date('2026-11-25T12:00:30Z');

describe('what a run leases as it schedules it', () => {
  const jobOf = (key: string): LeasedJob => ({
    job: 'test.follows',
    key,
    failures: 0,
    test_clock: null,
    merchant: null,
  });
  const open = ({ spaceMs = 60_000, mayLease = true, now = () => NOW } = {}) => {
    const handed: string[] = [];
    let onHanded: () => void = () => undefined;
    const handovers = new Handovers({
      now,
      spaceMs,
      mayLease: () => mayLease,
      handOver(jobs, leaseEnd) {
        handed.push(`${jobs.map(({ key }) => key).join(' ')} until ${leaseEnd.toISOString().slice(11, 19)}`);
        onHanded();
        return Promise.resolve();
      },
    });
    return { handed, handovers, next: () => new Promise<void>((resolve) => (onHanded = resolve)) };
  };
  const name = 'test.follows';

  it('is handed over at once, and what follows within the space together', async () => {
    const { handed, handovers } = open();
    handovers.take([jobOf('a'), jobOf('b')], END);
    expect(handed).to.deep.equal(['a b until 12:00:30']);
    handovers.take([jobOf('c')], END);
    handovers.take([jobOf('d')], END);
    expect(handed).to.have.length(1);
    await handovers.settle();
    expect(handed.slice(1)).to.deep.equal(['c d until 12:00:30']);
  });

  it('goes by itself when the space is over', async () => {
    const { handed, handovers, next } = open({ spaceMs: 1 });
    handovers.take([jobOf('a')], END);
    const second = next();
    handovers.take([jobOf('b')], END);
    await second;
    expect(handed).to.deep.equal(['a until 12:00:30', 'b until 12:00:30']);
  });

  it('is leased for 29 to 30 s, until the same time for all runs of a second', () => {
    let now = NOW;
    const { handovers } = open({ now: () => now });
    const ends = [0, 999, 1_001, 1_500].map((ms) => {
      now = new Date(NOW.getTime() + ms);
      return handovers.leaseEndOf({ name })?.toISOString().slice(17, 23);
    });
    expect(ends).to.deep.equal(['30.000', '30.000', '31.001', '31.001']);
  });

  it('is leased by nobody where the queue has no room, where much is held, and from closing on', async () => {
    expect(open({ mayLease: false }).handovers.leaseEndOf({ name })).to.equal(null);
    const { handovers } = open();
    handovers.take([jobOf('first')], END);
    handovers.take(
      Array.from({ length: 999 }, (_, i) => jobOf(`${i}`)),
      END,
    );
    expect(handovers.leaseEndOf({ name })).to.deep.equal(END);
    handovers.take([jobOf('one more')], END);
    expect(handovers.leaseEndOf({ name })).to.equal(null);
    await handovers.settle();
    const closed = open().handovers;
    closed.close();
    expect(closed.leaseEndOf({ name })).to.equal(null);
  });
});
