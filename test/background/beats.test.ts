import { expect } from 'chai';
import { Watch } from '../../src/background/beats.ts';

const beat = (id: string, beats: number, may_lead = true) => ({ id, beats: String(beats), may_lead });

describe('what workers know of each other', () => {
  it('the first by id that lives and may lead leads', () => {
    const watch = new Watch();
    expect(watch.note('b', [beat('c', 1)], 0, true)).to.deep.equal({ gone: [], leads: true });
    expect(watch.note('b', [beat('a', 1), beat('c', 2)], 1_000, true).leads).to.equal(false);
    expect(watch.note('b', [beat('a', 2, false), beat('c', 3)], 2_000, true).leads).to.equal(true);
    expect(watch.note('b', [beat('c', 4)], 3_000, false).leads).to.equal(false);
  });

  it('one whose beats stand still for 3 s is gone, and leads no more', () => {
    const watch = new Watch();
    for (const at of [0, 1_000, 2_000])
      expect(watch.note('b', [beat('a', 7)], at, true)).to.deep.equal({ gone: [], leads: false });
    expect(watch.note('b', [beat('a', 7)], 3_000, true)).to.deep.equal({ gone: ['a'], leads: true });
    // It was only slow.
    expect(watch.note('b', [beat('a', 8)], 4_000, true)).to.deep.equal({ gone: [], leads: false });
  });

  it('nobody is gone for one that could not look', () => {
    const watch = new Watch();
    watch.note('b', [beat('a', 7)], 0, true);
    expect(watch.note('b', [beat('a', 7)], 60_000, true).gone).to.deep.equal([]);
    expect(watch.note('b', [beat('a', 7)], 61_000, true).gone).to.deep.equal([]);
  });
});
