import { expect } from 'chai';
import { Slots } from '../../src/background/slots.ts';

describe('the slots of a queue', () => {
  const merchant = (id: string, weight = 1) => ({ id, weight });
  const [a, b] = [merchant('a'), merchant('b')];
  const jobsOf = (owner: { id: string; weight: number }, count: number) =>
    Array.from({ length: count }, (_, i) => ({ merchant: owner, key: `${owner.id}${i}` }));
  const take = (slots: Slots, owner: { id: string; weight: number }, limit = 1_000) => {
    let taken = 0;
    while (taken < limit && slots.enter(owner)) taken += 1;
    return taken;
  };
  let time = 0;
  const clock = () => time;
  beforeEach(() => (time = 0));

  it('give one merchant half of them, and always leave one to a merchant that comes late', () => {
    const slots = new Slots(32, { clock });
    expect(take(slots, a)).to.equal(16);
    expect(take(slots, b)).to.equal(8);
    for (let late = 0; late < 5; late += 1) expect(slots.enter(merchant(`late-${late}`))).to.equal(true);
  });

  it('give one merchant three quarters with a factor of 3, and more to a greater weight', () => {
    expect(take(new Slots(32, { factor: 3, clock }), a)).to.equal(24);
    expect(take(new Slots(32, { clock }), merchant('heavy', 3))).to.equal(24);
    expect(take(new Slots(1, { clock }), a)).to.equal(1);
  });

  it('that are given back can be taken again', () => {
    const slots = new Slots(8, { clock });
    expect(take(slots, a)).to.equal(4);
    slots.leave(a);
    expect(take(slots, a)).to.equal(1);
  });

  it('always admit jobs that are no merchant’s, which count as held', () => {
    const slots = new Slots(8, { clock });
    for (let job = 0; job < 10; job += 1) expect(slots.enter(null)).to.equal(true);
    expect(slots.enter(a)).to.equal(false);
    for (let job = 0; job < 10; job += 1) slots.leave(null);
    expect(take(slots, a)).to.equal(4);
  });

  it('are divided in turns: 400 jobs of one merchant do not precede one of another', () => {
    const slots = new Slots(8, { clock });
    const { taken, waiting } = slots.divide([...jobsOf(a, 400), ...jobsOf(b, 1)]);
    expect(taken.map(({ key }) => key).toSorted()).to.deep.equal(['a0', 'a1', 'a2', 'a3', 'b0']);
    expect(waiting).to.have.length(396);
  });

  it('are divided by what merchants hold already, and by their weights', () => {
    const slots = new Slots(12, { clock });
    expect(take(slots, a, 3)).to.equal(3);
    const turns = slots.turns([a, b, merchant('heavy', 2)], () => 100);
    expect([...turns]).to.deep.equal([
      ['b', 3],
      ['heavy', 4],
    ]);
  });

  it('count what was handed over until it starts, or for a quarter of a second', () => {
    const slots = new Slots(8, { clock });
    slots.handOver([a, a, a, a]);
    expect([...slots.turns([a], () => 10)]).to.deep.equal([]);
    slots.enter(a);
    slots.leave(a);
    expect([...slots.turns([a], () => 10)]).to.deep.equal([['a', 1]]);
    time += 250;
    expect([...slots.turns([a], () => 10)]).to.deep.equal([['a', 4]]);
  });
});
