import { expect } from 'chai';
import { csvLine, fileOf, type ExportFormat } from '../../../src/domain/exports/file.ts';

describe('a line of CSV', () => {
  it('quotes what would end a cell, and leaves what is missing empty', () => {
    expect(csvLine(['a', 'b,c', 'd "e"', 'f\r\ng', null, undefined, 7, ['h']])).to.equal(
      'a,"b,c","d ""e""","f\r\ng",,,7,"[""h""]"\r\n',
    );
  });

  it('has no cell that a spreadsheet runs: text of others may begin like a formula', () => {
    for (const formula of [
      '=1+1',
      '=1',
      '+cmd',
      '-2+3',
      '@SUM(A1)',
      '\t1',
      '\r1',
      '\n=1',
      '-',
      '=',
      '＝1+1',
      '-1\n',
    ])
      expect(csvLine([formula]).replace(/^"/, '')).to.match(/^'/);
    expect(csvLine(['=HYPERLINK("https://x.example","a")'])).to.equal(
      `"'=HYPERLINK(""https://x.example"",""a"")"\r\n`,
    );
  });

  it('has none either where a spreadsheet ends a cell at semicolons, tabs or ends of lines', () => {
    expect(csvLine(['a;=1+1;b', 'c\t@d', 'e\n+f;-g', 'h;i'])).to.equal(
      `a;'=1+1;b,c\t'@d,"e\n'+f;'-g",h;i\r\n`,
    );
    // There the quotes are those of the cell, and what is behind them its text.
    expect(csvLine(['a;"=1+1&";b', 'c;""@d'])).to.equal(`"a;""'=1+1&"";b","c;""""'@d"\r\n`);
    expect(csvLine([{ sku: 'a;=1+1' }])).to.equal(`"{""sku"":""a;'=1+1""}"\r\n`);
  });

  it('keeps numbers as they are', () => {
    expect(csvLine(['-5', '+5.25', -7, '0.1'])).to.equal('-5,+5.25,-7,0.1\r\n');
  });
});

describe('a file of rows', () => {
  async function* pages() {
    yield await Promise.resolve([]);
    yield ['{"id":"a","amount":"-1"}', '{"id":"=b","amount":null}'];
    yield ['{"id":"c","amount":"2"}'];
  }
  const text = async (format: ExportFormat, isContinued: boolean, of: AsyncIterable<string[]> = pages()) => {
    let whole = '';
    for await (const part of fileOf(of, { format, isContinued })) whole += part;
    return whole;
  };
  async function* none() {
    yield await Promise.resolve([]);
  }

  it('ends with a line that says so and counts the rows', async () => {
    expect(await text('csv', false)).to.equal("id,amount\r\na,-1\r\n'=b,\r\nc,2\r\nend,3\r\n");
    expect(await text('ndjson', false)).to.equal(
      '{"id":"a","amount":"-1"}\n{"id":"=b","amount":null}\n{"id":"c","amount":"2"}\n{"end":true,"rows":3}\n',
    );
  });

  it('is handed on in pieces that a socket takes at once, however much a page has', async () => {
    async function* large() {
      yield await Promise.resolve(
        Array.from({ length: 100 }, (_, id) => JSON.stringify({ id, text: 'x'.repeat(50_000) })),
      );
    }
    let [pieces, longest] = [0, 0];
    for await (const { length } of fileOf(large(), { format: 'csv', isContinued: false })) {
      pieces += 1;
      longest = Math.max(longest, length);
    }
    expect(pieces).to.be.above(40);
    expect(longest).to.be.below(120_000);
  });

  it('has no header where it goes on behind another one', async () => {
    expect(await text('csv', true)).to.equal("a,-1\r\n'=b,\r\nc,2\r\nend,3\r\n");
  });

  it('of nothing has its last line alone', async () => {
    expect(await text('csv', false, none())).to.equal('end,0\r\n');
    expect(await text('ndjson', false, none())).to.equal('{"end":true,"rows":0}\n');
  });
});
