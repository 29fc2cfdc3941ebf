import { expect } from 'chai';
import {
  add,
  asWritten,
  writtenLike,
  compare,
  divide,
  isZero,
  max,
  min,
  multiply,
  plain,
  subtract,
  sum,
  typedAmount,
} from '../../../src/platform/values/money.ts';

const LARGEST = '999999999999999999.999999999999999999';
const SMALLEST = '0.000000000000000001';

describe('money', () => {
  it('writes amounts without exponent and without needless zeros', () => {
    const cases = [
      ['10.50', '10.5'],
      ['0.000', '0'],
      ['-0', '0'],
      ['-0.10', '-0.1'],
      ['007', '7'],
      ['100', '100'],
      [SMALLEST, SMALLEST],
      [LARGEST, LARGEST],
    ] as const;
    for (const [value, expected] of cases) expect(plain(value), value).to.equal(expected);
  });

  it('keeps the way an amount was written where the value is the same', () => {
    expect(asWritten('10.5', '10.50')).to.equal('10.50');
    expect(asWritten('10.500000000000000000', '10.5')).to.equal('10.5');
    expect(asWritten('10.510', '10.50')).to.equal('10.51');
  });

  it('writes an amount with as many decimals as another has, and never fewer than it takes', () => {
    expect(writtenLike('4', '10.50')).to.equal('4.00');
    expect(writtenLike('12.5', '25.00')).to.equal('12.50');
    expect(writtenLike('4.125', '10.50')).to.equal('4.125');
    expect(writtenLike('4.00', '10')).to.equal('4');
    expect(writtenLike('1000000000000000000000', '10.5')).to.equal('1000000000000000000000.0');
  });

  it('adds, subtracts and multiplies to the last of 36 digits', () => {
    expect(add(LARGEST, SMALLEST)).to.equal('1000000000000000000');
    expect(add('0.1', '0.2')).to.equal('0.3');
    expect(subtract('1000000000000000000', SMALLEST)).to.equal(LARGEST);
    expect(subtract('0.1', '0.3')).to.equal('-0.2');
    expect(subtract('10.50', '10.5')).to.equal('0');
    expect(multiply(SMALLEST, SMALLEST)).to.equal(`0.${'0'.repeat(35)}1`);
    expect(multiply(LARGEST, LARGEST)).to.equal(
      '999999999999999999999999999999999998.000000000000000000000000000000000001',
    );
  });

  it('sums a list, of which none is zero', () => {
    expect(sum([])).to.equal('0');
    expect(sum(['0.10', '0.20', LARGEST])).to.equal('1000000000000000000.299999999999999999');
  });

  it('compares by value and not by text', () => {
    expect(compare('10.5', '10.50')).to.equal(0);
    expect(compare('9', '10')).to.equal(-1);
    expect(compare(LARGEST, '999999999999999999.999999999999999998')).to.equal(1);
    expect(compare('-1', '0')).to.equal(-1);
    expect([max('9', '10.0'), max('10.0', '9'), min('9.0', '10'), min('10', '9.0')]).to.deep.equal([
      '10',
      '10',
      '9',
      '9',
    ]);
    expect([isZero('0.000'), isZero('-0'), isZero(SMALLEST)]).to.deep.equal([true, true, false]);
  });

  it('divides with one rounding, in the direction that is asked for', () => {
    expect(divide('10', '4', 0, 'down')).to.equal('2');
    expect(divide('10', '4', 0, 'up')).to.equal('3');
    expect(divide('10', '4', 1, 'up')).to.equal('2.5');
    expect(divide('0', '3', 6, 'up')).to.equal('0');
    expect(divide('1', '3', 18, 'down')).to.equal('0.333333333333333333');
    expect(divide('1', '3', 18, 'up')).to.equal('0.333333333333333334');
  });

  it('sees a remainder however far behind the last place it lies', () => {
    const justAboveOne = `1.${'0'.repeat(60)}1`;
    expect(divide(justAboveOne, '1', 6, 'up')).to.equal('1.000001');
    expect(divide(justAboveOne, '1', 6, 'down')).to.equal('1');
  });

  it('reads what people type: a comma, zeros in front, no digit before or behind the point', () => {
    for (const [typed, amount] of [
      ['12.50', '12.50'],
      [' 12,50 ', '12.50'],
      ['0012.5', '12.5'],
      ['.5', '0.5'],
      [',5', '0.5'],
      ['5.', '5'],
      ['0', '0'],
      ['0,125', '0.125'],
      ['1234,567', '1234.567'],
    ] as const)
      expect(typedAmount(typed), typed).to.equal(amount);
    for (const typed of ['1,000', '12,345', '999,999']) expect(typedAmount(typed), typed).to.equal(null);
  });

  it('refuses what is no decimal number, and a division that has no answer', () => {
    for (const value of ['', ' 1', '1e5', '0x10', '.5', '5.', '+1', 'NaN', 'Infinity', '٣', '1,5'])
      expect(() => plain(value), value).to.throw(RangeError, 'not a decimal number');
    expect(() => divide('1', '0', 2, 'down')).to.throw(RangeError, 'cannot divide 1 by 0');
    expect(() => divide('-1', '3', 2, 'down')).to.throw(RangeError, 'cannot divide -1 by 3');
  });
});
