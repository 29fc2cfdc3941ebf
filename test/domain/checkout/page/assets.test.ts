import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { expect } from 'chai';
import { PAGE_ASSETS, readAsset } from '../../../../src/domain/checkout/page/assets.ts';
import { inline, withoutComments } from '../../../../src/platform/pages/assets.ts';

const textOf = (file: string) =>
  readFileSync(new URL(`../../../../assets/checkout/${file}`, import.meta.url), 'utf8');

const parsed = (element: string) => new Script(element.replaceAll(/<\/?script>/g, ''));

describe('the assets of the checkout page', () => {
  it('lose their indentation and the comments that have lines to themselves, and nothing else', () => {
    const text = [
      '/* First',
      '   lines. */',
      'const a = 1; // stays',
      '',
      '  // A line.',
      "  const url = 'https://shop.example/*';",
      '  /** @type {string} */ (a).length;',
      '  /** Two',
      '   * lines. */',
      '  b();',
      '',
    ];
    expect(withoutComments(text.join('\n'))).to.equal(
      [text[2], text[5]?.trim(), text[6]?.trim(), 'b();', ''].join('\n'),
    );
  });

  it('are inline elements: the scripts parse, and none ends its element early', () => {
    for (const [asset, tag] of [
      ['boot', 'script'],
      ['script', 'script'],
      ['style', 'style'],
      ['later', 'style'],
    ] as const) {
      const { markup } = inline(tag, readAsset(asset)).element;
      expect(markup.match(/<\//g), asset).to.have.length(1);
      if (tag === 'script') expect(() => parsed(markup)).to.not.throw();
    }
  });

  it('hold no string that spans lines, in which indentation and comment marks would be content', () => {
    const text = [...PAGE_ASSETS.boot, ...PAGE_ASSETS.script]
      .map(textOf)
      .join('')
      .replaceAll(/`[^`\n]*`/g, '');
    expect(text).to.not.include('`');
  });
});
