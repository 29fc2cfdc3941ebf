import { expect } from 'chai';
import { parseTime } from '../../../src/platform/postgres/parsers.ts';

describe('times that Postgres writes', () => {
  const TIMES: readonly (readonly [text: string, iso: string])[] = [
    ['2026-01-31 12:00:00+00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00:00.5+00', '2026-01-31T12:00:00.500Z'],
    ['2026-01-31 12:00:00.07+00', '2026-01-31T12:00:00.070Z'],
    ['2026-01-31 23:59:59.999+00', '2026-01-31T23:59:59.999Z'],
    ['2026-01-31 12:00:00.123456+00', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31 12:00:00+02', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31 12:00:00.25-03:30', '2026-01-31T15:30:00.250Z'],
    ['0044-03-15 12:00:00+00', '0044-03-15T12:00:00.000Z'],
  ];
  for (const [text, iso] of TIMES)
    it(`${text} is ${iso}`, () => expect(parseTime(text).toISOString()).to.equal(iso));

  it('BC, and infinity, are read as the driver reads them', () => {
    expect(parseTime('0044-03-15 12:00:00+00 BC').toISOString()).to.equal('-000043-03-15T12:00:00.000Z');
    expect(Number(parseTime('infinity'))).to.equal(Infinity);
  });
});
