import { expect } from 'chai';
import { Slots } from '../../../src/background/shares/slots.ts';

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

  it('count what was handed over until it starts, here or elsewhere', () => {
    const slots = new Slots(8, { clock });
    slots.handOver([a, a, a, a]);
    expect([...slots.turns([a], () => 10)]).to.deep.equal([]);
    slots.enter(a);
    slots.leave(a);
    expect([...slots.turns([a], () => 10)]).to.deep.equal([['a', 1]]);
    expect(slots.areStartsLate).to.equal(false);
    time += 250;
    expect(slots.areStartsLate).to.equal(true);
    expect([...slots.turns([a], () => 10)]).to.deep.equal([['a', 1]]);
    slots.forgetStarted(2);
    expect(slots.areStartsLate).to.equal(false);
    expect([...slots.turns([a], () => 10)]).to.deep.equal([['a', 2]]);
    time += 250;
    slots.forgetStarted(0);
    expect([...slots.turns([a], () => 10)]).to.deep.equal([['a', 4]]);
  });

  it('let at most 100 jobs of a merchant wait in the queue, whatever is free', () => {
    const slots = new Slots(1_024, { clock });
    expect(slots.divide(jobsOf(a, 400)).taken).to.have.length(100);
    slots.handOver(jobsOf(a, 70).map((job) => job.merchant));
    expect([...slots.turns([a, b], () => 400)]).to.deep.equal([
      ['b', 100],
      ['a', 30],
    ]);
  });

  describe('with a pace', () => {
    const paced = () => new Slots(1_024, { clock, pace: { burst: 64, perSecond: 34, longMs: 10_000 } });
    /** Takes what it gets whenever the relay looks. */
    const takeFor = (slots: Slots, ms: number) => {
      let taken = 0;
      for (let look = 0; look < ms; look += 50) {
        time += 50;
        taken += take(slots, a);
      }
      return taken;
    };

    it('start a burst at once and then so many a second, up to the share: what hangs ends as spread', () => {
      const slots = paced();
      expect(slots.divide(jobsOf(a, 400)).taken).to.have.length(64);
      expect(take(slots, a)).to.equal(64);
      expect(takeFor(slots, 1_000)).to.equal(34);
      takeFor(slots, 20_000);
      expect(slots.turns([a], () => 400)).to.deep.equal(new Map());
      expect(take(slots, b), 'another merchant').to.equal(64);
    });

    it('begin in small groups where they end together: little is saved while so many run', () => {
      const slots = paced();
      take(slots, a);
      time += 60_000;
      expect(take(slots, a)).to.equal(8);
      takeFor(slots, 20_000);
      for (let job = 0; job < 64; job += 1) slots.leave(a, 15_000);
      expect(take(slots, a)).to.equal(8);
      expect(takeFor(slots, 1_000)).to.equal(34);
    });

    it('are not slower for jobs that end before long: each gives its start back', () => {
      const slots = paced();
      let started = 0;
      for (let round = 0; round < 100; round += 1) {
        const taken = take(slots, a);
        started += taken;
        time += 1;
        for (let job = 0; job < taken; job += 1) slots.leave(a, 9_999);
      }
      expect(started).to.equal(6_400);
    });

    it('do not give back the starts of jobs that held their slots for long', () => {
      const slots = paced();
      const taken = take(slots, a);
      for (let job = 0; job < taken; job += 1) slots.leave(a, 10_000);
      expect(take(slots, a)).to.equal(0);
      time += 500;
      expect(take(slots, a)).to.equal(17);
    });

    it('count what was handed over and has not started yet', () => {
      const slots = paced();
      slots.handOver(jobsOf(a, 60).map((job) => job.merchant));
      expect([...slots.turns([a], () => 400)]).to.deep.equal([['a', 4]]);
    });

    it('give twice as many to a merchant of twice the weight', () => {
      expect(take(paced(), merchant('heavy', 2))).to.equal(128);
    });
  });
});
