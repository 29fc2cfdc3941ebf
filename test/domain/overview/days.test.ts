import { expect } from 'chai';
import { dayOf, lastDays } from '../../../src/domain/overview/days.ts';

/** The days up to one, each as its date, its begin and its hours. */
function days(timeZone: string, count: number, now: string): string[] {
  return lastDays(timeZone, count, new Date(now)).map(({ date, from, until }) => {
    const hours = (until.getTime() - from.getTime()) / 3_600_000;
    return `${date} ${from.toISOString().slice(0, 16)} ${hours}`;
  });
}

describe('the last days of a time zone', () => {
  it('are those of UTC', () => {
    expect(days('UTC', 2, '2026-03-01T00:00:00.000Z')).to.deep.equal([
      '2026-02-28 2026-02-28T00:00 24',
      '2026-03-01 2026-03-01T00:00 24',
    ]);
  });

  it('have 23 hours in spring and 25 in autumn in Berlin', () => {
    expect(days('Europe/Berlin', 3, '2026-03-30T10:00:00Z')).to.deep.equal([
      '2026-03-28 2026-03-27T23:00 24',
      '2026-03-29 2026-03-28T23:00 23',
      '2026-03-30 2026-03-29T22:00 24',
    ]);
    expect(days('Europe/Berlin', 3, '2026-10-26T10:00:00Z')).to.deep.equal([
      '2026-10-24 2026-10-23T22:00 24',
      '2026-10-25 2026-10-24T22:00 25',
      '2026-10-26 2026-10-25T23:00 24',
    ]);
  });

  it('are a day ahead on Kiritimati', () => {
    expect(days('Pacific/Kiritimati', 2, '2026-01-31T12:00:00Z')).to.deep.equal([
      '2026-01-31 2026-01-30T10:00 24',
      '2026-02-01 2026-01-31T10:00 24',
    ]);
    expect(days('Pacific/Kiritimati', 1, '2026-01-31T09:59:59.999Z')).to.deep.equal([
      '2026-01-31 2026-01-30T10:00 24',
    ]);
  });

  it('begin at half past the hour in Newfoundland, where clocks change too', () => {
    expect(days('America/St_Johns', 2, '2026-03-09T12:00:00Z')).to.deep.equal([
      '2026-03-08 2026-03-08T03:30 23',
      '2026-03-09 2026-03-09T02:30 24',
    ]);
    expect(days('America/St_Johns', 2, '2026-11-02T12:00:00Z')).to.deep.equal([
      '2026-11-01 2026-11-01T02:30 25',
      '2026-11-02 2026-11-02T03:30 24',
    ]);
  });

  it('begin at one where clocks skip midnight', () => {
    expect(days('Africa/Cairo', 1, '2026-04-24T12:00:00Z')).to.deep.equal(['2026-04-24 2026-04-23T22:00 23']);
  });

  it('have no date that a zone skips', () => {
    expect(days('Pacific/Apia', 3, '2011-12-31T09:00:00Z')).to.deep.equal([
      '2011-12-29 2011-12-29T10:00 24',
      '2011-12-31 2011-12-30T10:00 24',
    ]);
  });

  it('follow each other without a gap, and begin with a quarter of an hour, in every zone', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const found = lastDays(zone, 7, new Date('2026-10-28T12:00:00Z'));
      expect(found, zone).to.have.lengthOf(7);
      for (const [i, { from }] of found.entries()) {
        expect(from.getTime() % 900_000, zone).to.equal(0);
        if (i > 0) expect(from, zone).to.deep.equal(found[i - 1]?.until);
      }
    }
  });
});

describe('a day of a time zone', () => {
  const lengthOf = (zone: string, date: string) => {
    const day = dayOf(zone, date);
    return day === null
      ? null
      : [day.from.toISOString(), (day.until.getTime() - day.from.getTime()) / 3_600_000];
  };

  it('begins where the zone says, and has as many hours as it has there', () => {
    expect(lengthOf('UTC', '2026-03-29')).to.deep.equal(['2026-03-29T00:00:00.000Z', 24]);
    expect(lengthOf('Europe/Berlin', '2026-03-29')).to.deep.equal(['2026-03-28T23:00:00.000Z', 23]);
    expect(lengthOf('Asia/Kathmandu', '2026-12-31')).to.deep.equal(['2026-12-30T18:15:00.000Z', 24]);
    expect(lengthOf('Pacific/Apia', '2011-12-30'), 'a day that Samoa skipped').to.deep.equal([
      '2011-12-30T10:00:00.000Z',
      0,
    ]);
  });

  it('is one of UTC in years without time zones, and in the last that a date can name', () => {
    expect(lengthOf('Asia/Tokyo', '0001-01-01')).to.deep.equal(['0001-01-01T00:00:00.000Z', 24]);
    expect(lengthOf('Asia/Tokyo', '9999-12-31')).to.deep.equal(['9999-12-31T00:00:00.000Z', 24]);
  });

  it('is none for what is no date', () => {
    for (const text of [
      '',
      'x',
      '2026-02-30',
      '2026-13-01',
      '2026-1-1',
      '2026-01-01T00:00:00Z',
      '+010000-01',
    ])
      expect(lengthOf('Asia/Tokyo', text), text).to.equal(null);
  });
});
