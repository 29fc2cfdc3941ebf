import { expect } from 'chai';
import {
  firstIdAt,
  hashApiKey,
  isId,
  newId,
  newToken,
  type IdPrefix,
} from '../../../src/platform/values/ids.ts';

const NOW = new Date('2026-01-31T12:00:00.000Z');
const PREFIXES: readonly IdPrefix[] = ['mer', 'pay', 'evt', 'dlv', 'ref', 'req'];
const MANY = 2_000;

describe('identifiers', () => {
  for (const prefix of PREFIXES)
    it(`${prefix}_ is followed by 26 characters of Crockford's alphabet`, () => {
      const id = newId(prefix, NOW);
      expect(id).to.match(new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`));
      expect(isId(prefix, id)).to.equal(true);
    });

  it('hold the time as a ULID does: its published example, to the millisecond', () => {
    // github.com/ulid/spec: 01ARZ3NDEKTSV4RRFFQ69G5FAV was made at this time.
    expect(newId('pay', new Date(1_469_922_850_259)).slice(4, 14)).to.equal('01ARZ3NDEK');
  });

  it('sort by their time', () => {
    const times = [0, 1, 31, 32, 1_023, 1_024, NOW.getTime(), NOW.getTime() + 1, 2 ** 48 - 1];
    const ids = times.map((time) => newId('evt', new Date(time)));
    expect(ids.toSorted()).to.deep.equal(ids);
  });

  it('are all different within one millisecond', () => {
    expect(new Set(Array.from({ length: MANY }, () => newId('pay', NOW)))).to.have.lengthOf(MANY);
  });

  it('and tokens never share random bytes, whatever their turns', () => {
    const made = Array.from({ length: 3 * MANY }, (_, n) => (n % 3 === 0 ? newToken() : newId('pay', NOW)));
    expect(new Set(made)).to.have.lengthOf(made.length);
    // 24 bytes as base64url; one that begins with the bytes of another would repeat 8 characters.
    const parts = made.filter((_, n) => n % 3 === 0).flatMap((token) => token.match(/.{8}/g) ?? []);
    expect(new Set(parts)).to.have.lengthOf(parts.length);
    expect(parts.join('')).to.not.match(/A{8}/);
  });

  it('use every character in every random place', () => {
    const ids = Array.from({ length: MANY }, () => newId('pay', NOW));
    for (let place = 14; place < 30; place += 1)
      expect(new Set(ids.map((id) => id[place])), `place ${place}`).to.have.lengthOf(32);
  });

  it('firstIdAt is the smallest id of its time', () => {
    const first = firstIdAt('pay', NOW);
    expect(isId('pay', first)).to.equal(true);
    expect(first < newId('pay', NOW)).to.equal(true);
    expect(first > newId('pay', new Date(NOW.getTime() - 1))).to.equal(true);
  });

  for (const value of [
    '',
    'pay_',
    'pay_01ARZ3NDEKTSV4RRFFQ69G5FA',
    'pay_01ARZ3NDEKTSV4RRFFQ69G5FAVX',
    'pay_01arz3ndektsv4rrffq69g5fav',
    'pay_01ARZ3NDEKTSV4RRFFQ69G5FAI',
    'pay_01ARZ3NDEKTSV4RRFFQ69G5FA\n',
    'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'pay-01ARZ3NDEKTSV4RRFFQ69G5FAV',
    ' pay_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    "pay_01ARZ3NDEKTSV4RRFFQ69G5FA'",
  ])
    it(`${JSON.stringify(value)} is no id of a payment`, () => {
      expect(isId('pay', value)).to.equal(false);
    });
});

describe('tokens', () => {
  it('a token holds 192 bits, URL-safe, and no time', () => {
    const tokens = Array.from({ length: MANY }, newToken);
    for (const token of tokens) expect(token).to.match(/^[A-Za-z0-9_-]{32}$/);
    expect(new Set(tokens)).to.have.lengthOf(MANY);
    expect(new Set(tokens.map((token) => token[0]))).to.have.lengthOf.above(32);
  });

  it("hashApiKey is SHA-256 (the standard's example)", () => {
    expect(hashApiKey('abc').toString('hex')).to.equal(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
