import { expect } from 'chai';
import { guardRate, isOffPeg, type Reading } from '../../../../src/domain/chain/rates/guard.ts';
import type { Rate } from '../../../../src/domain/chain/rates/rates.ts';

const NOW = new Date('2026-01-31T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);
const says = (source: string, usd: string, more: Partial<Reading> = {}): Reading => ({
  source,
  usd,
  spread: null,
  at: ago(10),
  ...more,
});
const guarded = (readings: readonly Reading[], last: Rate | null = null) =>
  guardRate(readings, { last, now: NOW, maxAgeSeconds: 120 });
const refusal = (readings: readonly Reading[], last: Rate | null = null) => {
  const result = guarded(readings, last);
  return 'refused' in result ? result.refused : 'accepted';
};

describe('the rate of a coin', () => {
  it('is the median of the sources, with their names and the age of the oldest', () => {
    const readings = [says('a', '3010'), says('b', '3000', { at: ago(40) }), says('c', '2990')];
    expect(guarded(readings)).to.deep.equal({ usd: '3000', sources: ['a', 'b', 'c'], at: ago(40) });
  });

  it('of two sources is the middle between them', () => {
    expect(guarded([says('a', '1'), says('b', '1.01')])).to.include({ usd: '1.005' });
  });

  it('is not that of a single source', () => {
    expect(refusal([says('a', '3000')])).to.equal('1 of 1 readings are usable');
  });

  it('leaves out a stale source, one of the future, one with a wide spread, and one that says nothing costs anything', () => {
    const good = [says('a', '3000'), says('b', '3003')];
    const bad = [
      says('c', '3001', { at: ago(121) }),
      says('d', '3001', { at: ago(-61) }),
      says('e', '3001', { spread: '61' }),
      says('f', '0'),
    ];
    expect(guarded([...good, ...bad])).to.deep.include({ usd: '3001.5', sources: ['a', 'b'] });
  });

  it('leaves out a source that is 20 % off', () => {
    const readings = [says('a', '3000'), says('b', '3600'), says('c', '3003')];
    expect(guarded(readings)).to.deep.include({ usd: '3001.5', sources: ['a', 'c'] });
  });

  it('does not exist while two sources are apart', () => {
    expect(refusal([says('a', '3000'), says('b', '3600')])).to.match(
      /^the sources are apart: a 3000, b 3600$/,
    );
    expect(refusal([says('a', '100'), says('b', '104')])).to.match(/apart/);
    expect(refusal([says('a', '100'), says('b', '103')])).to.equal('accepted');
  });

  it('jumps by 15 % within a minute only where three sources say so', () => {
    const last = { usd: '3000', sources: ['a', 'b'], at: ago(30) };
    const [two, third] = [[says('a', '3460'), says('b', '3465')], says('c', '3455')];
    expect(refusal(two, last)).to.equal('a jump from 3000 to 3462.5 needs 3 sources');
    expect(refusal([...two, third], last)).to.equal('accepted');
    expect(refusal(two, { ...last, at: ago(61) })).to.equal('accepted');
    expect(refusal([says('a', '3440'), says('b', '3440')], last)).to.equal('accepted');
  });

  it('is off its peg for a stablecoin that costs less than 0.98 or more than 1.02', () => {
    expect(isOffPeg('USDT', '0.979')).to.equal(true);
    expect(isOffPeg('DAI', '1.021')).to.equal(true);
    expect(isOffPeg('USDC', '0.98')).to.equal(false);
    expect(isOffPeg('USDC', '1.02')).to.equal(false);
    expect(isOffPeg('ETH', '3000')).to.equal(false);
  });
});
