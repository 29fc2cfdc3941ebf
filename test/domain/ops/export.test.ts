import { expect } from 'chai';
import { csvLine } from '../../../src/domain/ops/export.ts';

describe('a line of CSV', () => {
  it('quotes what would end a cell, and leaves what is missing empty', () => {
    expect(csvLine(['a', 'b,c', 'd "e"', 'f\r\ng', null, undefined, 7, ['h']])).to.equal(
      'a,"b,c","d ""e""","f\r\ng",,,7,"[""h""]"\r\n',
    );
  });

  it('has no cell that a spreadsheet runs: text of others may begin like a formula', () => {
    for (const formula of ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '-', '='])
      expect(csvLine([formula]).replace(/^"/, '')).to.match(/^'/);
    expect(csvLine(['=HYPERLINK("https://x.example","a")'])).to.equal(
      `"'=HYPERLINK(""https://x.example"",""a"")"\r\n`,
    );
  });

  it('keeps numbers as they are', () => {
    expect(csvLine(['-5', '+5.25', -7, '0.1'])).to.equal('-5,+5.25,-7,0.1\r\n');
  });
});
