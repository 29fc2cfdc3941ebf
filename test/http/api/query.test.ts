import { expect } from 'chai';
import { Type } from 'typebox';
import { readQuery } from '../../../src/http/api/query.ts';
import { ValidationError } from '../../../src/domain/api/errors.ts';

const SCHEMA = Type.Object({
  page: Type.Integer(),
  order: Type.String(),
  status: Type.Array(Type.String()),
});

describe('readQuery', () => {
  const CASES: readonly [url: string, query: object][] = [
    ['/v1/payments', {}],
    ['/v1/payments?', {}],
    ['/v1/payments?&&', {}],
    ['/?page=7', { page: 7 }],
    ['/?page=-7', { page: -7 }],
    ['/?page=007', { page: 7 }],
    ['/?page=1.0', { page: '1.0' }],
    ['/?page=1e3', { page: '1e3' }],
    ['/?page=0x1', { page: '0x1' }],
    ['/?page=+1', { page: ' 1' }],
    ['/?page=', { page: '' }],
    ['/?page', { page: '' }],
    ['/?page=9999999999999999', { page: '9999999999999999' }],
    ['/?order=7', { order: '7' }],
    ['/?order=a+b%2Bc%20d', { order: 'a b+c d' }],
    ['/?order=a=b', { order: 'a=b' }],
    ['/?order=a?b', { order: 'a?b' }],
    ['/?%6Frder=%F0%9F%98%80', { order: '😀' }],
    ['/?status=A', { status: ['A'] }],
    ['/?status=A,B%2CC', { status: ['A', 'B', 'C'] }],
    ['/?status=', { status: [''] }],
    ['/?other=1&Page=2', { other: '1', Page: '2' }],
    ['/?toString=1', { toString: '1' }],
  ];
  for (const [url, query] of CASES) it(url, () => expect(readQuery(url, SCHEMA)).to.deep.equal(query));

  it('__proto__ is a name like any other', () => {
    const query = readQuery('/?__proto__=x', SCHEMA);
    expect(Object.entries(query)).to.deep.equal([['__proto__', 'x']]);
    expect(Object.getPrototypeOf(query)).to.equal(Object.prototype);
  });

  const FAULTS: readonly [url: string, field: string, constraint: string][] = [
    ['/?page=1&page=1', 'page', 'type'],
    ['/?status=A&status=B', 'status', 'type'],
    ['/?a&%61', 'a', 'type'],
    ['/?order=%', 'order', 'format'],
    ['/?order=%ff', 'order', 'format'],
    ['/?order=%c0%80', 'order', 'format'],
    ['/?%e0=1', 'query', 'format'],
  ];
  for (const [url, field, constraint] of FAULTS)
    it(`${url} is refused`, () => {
      expect(() => readQuery(url, SCHEMA))
        .to.throw(ValidationError)
        .with.deep.property('details', { field, constraint });
    });
});
