import { expect } from 'chai';
import { initialsOf } from '../../../../src/domain/checkout/markup/initials.ts';

describe('the initials of a merchant', () => {
  it('are the first letters of two words', () => {
    expect(initialsOf('Tea House Ōtsuka')).to.equal('TH');
    expect(initialsOf('  ōtsuka')).to.equal('Ō');
    expect(initialsOf('7 seas')).to.equal('7S');
    expect(initialsOf('Кофе и чай')).to.equal('КИ');
  });

  it('are one letter where letters join or stand for words', () => {
    expect(initialsOf('متجر الشاي')).to.equal('م');
    expect(initialsOf('大塚 茶舗')).to.equal('大');
  });

  it('pass over emoji and marks, unless the name has nothing else', () => {
    expect(initialsOf('🍵 “Tea” house')).to.equal('TH');
    expect(initialsOf('👩‍👩‍👧‍👦🍵')).to.equal('👩‍👩‍👧‍👦');
    expect(initialsOf('!?')).to.equal('!');
    expect(initialsOf('\u202e\u200b abc')).to.equal('A');
  });

  it('are short, however many marks a letter has', () => {
    expect([...initialsOf(`Z${'\u0301'.repeat(90)}`)]).to.have.lengthOf.at.most(8);
    expect(initialsOf('\u200b')).to.equal('');
  });
});
