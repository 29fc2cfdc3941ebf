import { expect } from 'chai';
import { leastLoaded, nextMove, skewOf, type Cell } from '../../bench/placement/rule.ts';

const cell = (...weights: readonly number[]): Cell => ({
  merchants: weights.map((weight) => ({ weight })),
  load: weights.reduce((sum, weight) => sum + weight, 0),
});

describe('the rule by which merchants are placed in cells', () => {
  it('puts new merchants into the cell with the least load, the first of several', () => {
    expect(leastLoaded([3, 1, 2, 1])).to.equal(1);
    expect(leastLoaded([])).to.equal(-1);
  });

  it('moves from the fullest cell to the emptiest who brings both nearest to each other', () => {
    expect(nextMove([cell(5, 5), cell(60, 60, 30), cell(50)], 1.1)).to.deep.equal({
      merchant: 0,
      from: 1,
      to: 0,
    });
    expect(nextMove([cell(5, 5), cell(70, 60, 20), cell(50)], 1.1)).to.include({ merchant: 0, to: 0 });
    expect(nextMove([cell(20), cell(10, 40, 50)], 1.1)).to.include({ merchant: 1, from: 1, to: 0 });
  });

  it('moves nobody who would leave the other cell as full as this one', () => {
    expect(nextMove([cell(60), cell(50, 50)], 1.1)).to.equal(null);
    expect(nextMove([cell(60), cell(50, 45, 5)], 1.1)).to.include({ merchant: 2 });
  });

  it('leaves a cell whose one merchant is too large, and evens out the next one', () => {
    expect(nextMove([cell(10), cell(200, 5), cell(60, 40)], 1.1)).to.equal(null);
    const cells = [cell(10), cell(300, 5), cell(40, 40, 40, 40), cell(11)];
    expect(nextMove(cells, 1.1)).to.deep.equal({ merchant: 0, from: 2, to: 0 });
  });

  it('moves nobody where the fullest cell is within the skew, however uneven others are', () => {
    expect(nextMove([cell(100), cell(106, 4)], 1.1)).to.equal(null);
    expect(nextMove([cell(100), cell(106, 4)], 1.04)).to.include({ merchant: 1 });
    expect(skewOf([100, 110])).to.be.closeTo(1.0476, 0.0001);
    expect(skewOf([0, 0])).to.equal(1);
  });
});
