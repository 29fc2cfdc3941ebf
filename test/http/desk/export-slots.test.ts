import { expect } from 'chai';
import { ExportSlots } from '../../../src/http/desk/exports/slots.ts';

describe('the slots of exports', () => {
  it('are two of a merchant, whose slow readers keep nobody else from a file', () => {
    const slots = new ExportSlots();
    const slow = ['a', 'b', 'c', 'd'].flatMap((merchant) => [slots.take(merchant), slots.take(merchant)]);
    expect(slow).to.not.include(null);
    expect(slots.take('a')).to.equal(null);
    expect(slots.take('e')).to.be.a('function');
    slow[0]?.();
    slow[0]?.();
    expect(slots.take('a')).to.be.a('function');
    expect(slots.take('a'), 'given back once').to.equal(null);
  });

  it('end where a process has as many as it can hold', () => {
    const slots = new ExportSlots();
    const taken = Array.from({ length: 40 }, (_, i) => slots.take(`merchant ${i}`));
    expect(taken.indexOf(null)).to.equal(32);
  });

  it('read four pages at once, in turn', async () => {
    const slots = new ExportSlots();
    let [reading, most] = [0, 0];
    async function* pages() {
      for (let page = 0; page < 5; page += 1) {
        most = Math.max(most, (reading += 1));
        await new Promise((resolve) => setImmediate(resolve));
        reading -= 1;
        yield page;
      }
    }
    const readAll = async (merchant: string) => {
      const read: number[] = [];
      for await (const page of slots.inTurn(merchant, pages())) read.push(page);
      return read;
    };
    const files = await Promise.all(Array.from({ length: 10 }, (_, i) => readAll(`merchant ${i}`)));
    expect(files).to.deep.equal(files.map(() => [0, 1, 2, 3, 4]));
    expect(most).to.equal(4);
  });

  it('end the reading of a file whose reader leaves', async () => {
    const slots = new ExportSlots();
    let isEnded = false;
    async function* pages() {
      try {
        for (;;) yield await Promise.resolve('a page');
      } finally {
        isEnded = true;
      }
    }
    for await (const page of slots.inTurn('a', pages())) {
      expect(page).to.equal('a page');
      break;
    }
    expect(isEnded).to.equal(true);
  });
});
