import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  accentOf,
  contrast,
  MIN_CONTRAST,
  SURFACES,
  textOn,
} from '../../../../src/domain/checkout/markup/accent.ts';

const STYLE = readFileSync(new URL('../../../../assets/checkout/base.css', import.meta.url), 'utf8');
const SCHEMES = ['light', 'dark'] as const;

describe('the accent colour', () => {
  it('knows the surfaces of the style sheet', () => {
    const [light = '', dark = ''] = STYLE.split('@media (prefers-color-scheme: dark)');
    const colorIn = (rules: string, name: string) => {
      const color = new RegExp(`--${name}: (#\\w+)`).exec(rules)?.[1] ?? '';
      return color.length === 4 ? color.replaceAll(/\w/g, '$&$&') : color;
    };
    for (const [scheme, rules] of [
      ['light', light],
      ['dark', dark],
    ] as const)
      expect(SURFACES[scheme]).to.deep.equal(
        ['page', 'card', 'well', 'calm'].map((name) => colorIn(rules, name)),
      );
  });

  it('contrasts as WCAG computes it', () => {
    expect(contrast('#000000', '#ffffff')).to.be.closeTo(21, 0.001);
    expect(contrast('#ffffff', '#ffffff')).to.equal(1);
    expect(contrast('#777777', '#ffffff')).to.be.closeTo(4.478, 0.001);
    expect(contrast('#0000ff', '#ffff00')).to.equal(contrast('#ffff00', '#0000ff'));
  });

  it('stays as it is where it can be read, in lower case', () => {
    expect(accentOf('#0A56C7').light).to.equal('#0a56c7');
    expect(accentOf('#86b6ff').dark).to.equal('#86b6ff');
  });

  for (const color of [
    '#ffff00',
    '#ffffff',
    '#000000',
    '#c8102e',
    '#00ff00',
    '#0000ff',
    '#808080',
    '#f7931a',
  ])
    it(`${color} can be read on every surface of both schemes, and so can text on it`, () => {
      for (const scheme of SCHEMES) {
        const accent = accentOf(color)[scheme];
        for (const surface of SURFACES[scheme])
          expect(contrast(accent, surface), `${scheme} ${surface}`).to.be.at.least(MIN_CONTRAST);
        expect(accent).to.match(/^#[0-9a-f]{6}$/);
      }
      expect(contrast(color, textOn(color)), 'a button').to.be.at.least(MIN_CONTRAST);
    });

  it('holds for any colour', () => {
    for (let red = 0; red < 256; red += 51)
      for (let green = 0; green < 256; green += 51)
        for (let blue = 0; blue < 256; blue += 51) {
          const color = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
          for (const scheme of SCHEMES) {
            const used = accentOf(color)[scheme];
            const ratios = SURFACES[scheme].map((under) => contrast(used, under));
            expect(Math.min(...ratios, contrast(color, textOn(color))), `${color} ${scheme}`).to.be.at.least(
              MIN_CONTRAST,
            );
          }
        }
  });

  it('keeps its hue', () => {
    const { light, dark } = accentOf('#ffff00');
    expect(light).to.match(/^#(\w\w)\1(00)$/);
    expect(dark).to.equal('#ffff00');
  });
});
