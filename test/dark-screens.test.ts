import { expect } from 'chai';
import { filesBelow, read } from './support/documents.ts';

/** A style for dark screens, as far as its closing braces. */
const DARK = /prefers-color-scheme: ?dark\)\s*\{(?<rules>.*?\})\s*\}/gs;
/** What may stand in one: a selector, and variables that are colours. */
const COLOURS = /^\s*[\w:.-]+ \{(?:\s*--[a-z-]+: #[0-9a-f]{3,8};)+\s*\}$/;

const darkRulesOf = (style: string) => [...style.matchAll(DARK)].map(({ groups }) => groups?.rules ?? '');

/** So a page that was examined on a light screen needs to be examined for colours alone on a dark one. */
describe('a dark screen', () => {
  it('changes nothing but variables that are colours, in every style sheet', () => {
    const dark = filesBelow('assets')
      .filter((file) => file.endsWith('.css'))
      .flatMap((file) => darkRulesOf(read(file)).map((rules) => ({ file, rules })));
    expect(dark).to.not.be.empty;
    for (const { file, rules } of dark) expect(rules, file).to.match(COLOURS);
  });

  it('is named by no other file but those that write the accent colour, and choose one for a preview', () => {
    const files = ['assets', 'docs-site', 'src'].flatMap((folder) => filesBelow(folder));
    const naming = files.filter((file) => /prefers-color-scheme|light-dark\(/.test(read(file)));
    expect(naming).to.have.members([
      'assets/checkout/base.css',
      'assets/checkout/tones.css',
      'assets/docs/page.css',
      'src/domain/checkout/page/assets.ts',
      'src/domain/checkout/page/preview.ts',
    ]);
  });

  it('would be found to change more', () => {
    const style = '@media (prefers-color-scheme: dark) { .wide { display: none; } }';
    for (const rules of darkRulesOf(style)) expect(rules).to.not.match(COLOURS);
    expect(darkRulesOf(style)).to.have.lengthOf(1);
  });
});
