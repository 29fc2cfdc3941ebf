import { expect } from 'chai';
import { docsPages, linksOf, textOf } from '../../support/docs-pages.ts';
import { send, type Answer, type Listening } from '../../support/http.ts';
import { servedHarness } from '../../support/served-harness.ts';

describe('the documentation for programs', () => {
  let server: Listening;
  let pages: ReadonlyMap<string, Answer>;
  servedHarness(async (opened) => {
    ({ server } = opened);
    pages = await docsPages(server);
  });

  const get = (path: string) => send(server, 'GET', path, {});
  const markdownOf = (path: string) => get(path === '/docs' ? '/docs/index.md' : `${path}.md`);

  it('begins at /llms.txt, which names every page once with what it is about', async () => {
    const { status, headers, text } = await get('/llms.txt');
    expect([status, headers['content-type']]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    expect(text).to.match(/^# Payment checkout\n\n> .+\n/);
    const entries = [...text.matchAll(/^- \[(.+)\]\((\S+)\): (.+)$/gm)];
    const paths = entries.map(([, , path = '']) => path);
    for (const path of paths) expect((await get(path)).status, path).to.equal(200);
    expect(paths.filter((path) => path.endsWith('.md'))).to.have.lengthOf(pages.size);
    for (const [path, { text: page }] of pages) {
      const [, title = ''] = /<h1>(.*?)<\/h1>/.exec(page) ?? [];
      const entry = entries.find(([, name]) => name === textOf(title)) ?? expect.fail(`no ${title}`);
      expect((await get(entry[2] ?? '')).text, path).to.equal((await markdownOf(path)).text);
    }
  });

  it('has every page as Markdown, with the same headings and the same code', async () => {
    for (const [path, { text: page }] of pages) {
      const { headers, text } = await markdownOf(path);
      expect(headers['content-type'], path).to.equal('text/markdown; charset=utf-8');
      const blocks = [...page.matchAll(/<pre[^>]*><code>(.*?)<\/code>/gs)].map(([, code = '']) =>
        textOf(code),
      );
      for (const code of blocks) expect(text.includes(code.trimEnd()), code).to.equal(true);
      const prose = text.replaceAll(/^```.*?^```/gms, '');
      const headings = [...page.matchAll(/<h[1-3][^>]*>(.*?)<\/h[1-3]>/gs)].filter(
        ([element]) => element.startsWith('<h1') || element.includes(' id='),
      );
      expect(
        prose.match(/^#{1,3} .*$/gm)?.map((line) => line.replaceAll(/^#+ |[`\\]/g, '')),
        path,
      ).to.deep.equal(headings.map(([, heading = '']) => textOf(heading)));
      expect(prose, path).to.not.match(/(?<!\\)<\w|&#?\w+;|Link to:/);
    }
  });

  it('writes tables whose rows are as wide as their head, and links to pages that exist as Markdown', async () => {
    const { text } = await get('/docs/states.md');
    const [head = '', line = '', ...rows] = text.match(/^\|.*$/gm) ?? [];
    expect(line).to.equal('| --- | --- | --- | --- | --- |');
    expect(head).to.match(/^\| Trigger \|/);
    for (const row of rows.slice(0, 5)) expect(row.match(/(?<!\\)\|/g), row).to.have.lengthOf(6);
    for (const [, path = ''] of text.matchAll(/\]\((\/[^#)]+)/g))
      expect((await get(path)).status, path).to.equal(200);
  });

  it('is named by every page, and says of what is not there that it has no such page', async () => {
    for (const [path, { text }] of pages) {
      const own = path === '/docs' ? '/docs/index.md' : `${path}.md`;
      expect(text, path).to.include(`<link rel="alternate" type="text/markdown" href="${own}"`);
      expect(linksOf(text), path).to.include(own);
    }
    const { status, headers } = await get('/docs/none.md');
    expect([status, headers['content-type']]).to.deep.equal([404, 'text/html; charset=utf-8']);
  });
});
