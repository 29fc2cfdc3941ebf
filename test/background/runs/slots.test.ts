import { expect } from 'chai';
import { Slots } from '../../../src/background/runs/slots.ts';

describe('the slots of a worker', () => {
  it('count what each merchant holds, and what is free', () => {
    const slots = new Slots(4, { factor: 3 });
    slots.take('mer_a');
    slots.take('mer_a');
    slots.take('mer_b');
    slots.take(null);
    const held = [
      { merchant_id: 'mer_a', held: 2 },
      { merchant_id: 'mer_b', held: 1 },
    ];
    expect(slots.use).to.deep.equal({ free: 0, factor: 3, held });
    slots.release('mer_b');
    slots.release(null);
    expect(slots.use).to.deep.equal({ free: 2, factor: 3, held: [held[0]] });
  });

  it('beyond a burst are taken at a pace by who holds them for long', () => {
    let now = 0;
    const bucket = { burst: 4, gapMs: 10, longMs: 1_000 };
    const slots = new Slots(100, { factor: 1, bucket, clock: () => now });
    const held = () => slots.use.held[0]?.held;
    for (let count = 0; count < 4; count += 1) slots.take('mer_a');
    expect(held()).to.equal(4);
    for (let count = 0; count < 3; count += 1) slots.take('mer_a');
    // It has begun three beyond the burst: the next one 30 ms later.
    expect(held()).to.equal(100);
    now = 29;
    expect(held()).to.equal(100);
    now = 30;
    expect(held()).to.equal(7);
  });

  it('are given back with their start by jobs that end soon', () => {
    const bucket = { burst: 1, gapMs: 10, longMs: 1_000 };
    const slots = new Slots(100, { factor: 1, bucket, clock: () => 0 });
    for (let count = 0; count < 3; count += 1) slots.take('mer_a');
    slots.release('mer_a', 1_000);
    expect(slots.use.held[0]?.held).to.equal(100);
    slots.take('mer_a');
    // Three began beyond the burst: the two that end soon leave the first.
    slots.release('mer_a', 999);
    slots.release('mer_a', 999);
    expect(slots.use.held[0]?.held).to.equal(100);
    slots.take('mer_a');
    for (let count = 0; count < 2; count += 1) slots.release('mer_a', 0);
    expect(slots.use.held).to.deep.equal([]);
  });
});
