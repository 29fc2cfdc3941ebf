import { expect } from 'chai';
import { API_ERRORS } from '../../../src/domain/api/errors.ts';
import { STATUSES, TRANSITIONS, type Transition } from '../../../src/domain/payments/lifecycle/states.ts';
import { EXAMPLES } from '../../../src/http/openapi/examples.ts';
import { REMEDIES } from '../../../docs-site/errors/remedies.ts';
import { EVENT_TYPES } from '../../../src/sdk/index.ts';
import { docsPages, idsOf, linksOf, textOf } from '../../support/docs-pages.ts';
import { filesBelow, read } from '../../support/documents.ts';
import { send, type Answer, type Listening } from '../../support/http.ts';
import { servedHarness } from '../../support/served-harness.ts';

describe('the pages of the documentation', () => {
  let server: Listening;
  let pages: ReadonlyMap<string, Answer>;
  servedHarness(async (opened) => {
    ({ server } = opened);
    pages = await docsPages(server);
  });

  const get = (path: string, headers: Record<string, string> = {}) => send(server, 'GET', path, headers);
  const page = (path: string) => pages.get(path)?.text ?? expect.fail(`no page at ${path}`);

  it('are the guides, the states, the errors and the reference', () => {
    const guides = filesBelow('docs/guides').map((file) => file.replace(/^docs\/guides\/|\.md$/g, ''));
    guides.push('use-the-client', 'use-the-command-line');
    const paths = guides.map((name) => (name === 'index' ? '/docs' : `/docs/${name}`));
    expect([...pages.keys()]).to.include.members(paths);
    expect([...pages.keys()].filter((path) => path.startsWith('/docs/reference'))).to.have.lengthOf.above(8);
  });

  it('are whole documents of a language, a title and a summary each, with one first heading', () => {
    const titles = [...pages.values()].map(({ text }) => /<title>(.*?)<\/title>/.exec(text)?.[1]);
    expect(new Set(titles).size).to.equal(pages.size);
    for (const [path, { status, text }] of pages) {
      expect(status, path).to.equal(200);
      expect(text, path).to.match(/^<!doctype html>\s+<html lang="en">/);
      expect(text, path).to.match(/<meta\s+name="description"\s+content="[^"]{10,}"/);
      expect(text.match(/<h1/g), path).to.have.lengthOf(1);
    }
  });

  it('link only to pages, anchors and files that exist', async () => {
    const answers = new Map<string, Answer>(pages);
    for (const [path, { text }] of pages)
      for (const address of linksOf(text)) {
        if (address.startsWith('https://')) continue;
        const [target = '', anchor] = address.split('#');
        const linked = target === '' ? path : target;
        if (!answers.has(linked)) answers.set(linked, await get(linked));
        expect(answers.get(linked)?.status, `${path} links to ${address}`).to.equal(200);
        if (anchor !== undefined)
          expect(idsOf(answers.get(linked)?.text ?? ''), `${path} links to ${address}`).to.include(anchor);
      }
  });

  it('have a link to itself beside each heading, and no id twice', () => {
    for (const [path, { text }] of pages) {
      const ids = idsOf(text);
      expect(ids.length, path).to.equal(new Set(ids).size);
      const content = /<div class="content">(.*)<\/main>/s.exec(text)?.[1] ?? '';
      for (const [, id] of content.matchAll(/<h[2-4](?: id="([^"]+)")?/g)) {
        expect(id, path).to.be.a('string');
        expect(linksOf(content), path).to.include(`#${id}`);
      }
    }
  });

  it('run nothing that stands in them, and name nothing of another origin to load', () => {
    for (const [path, { text }] of pages) {
      expect(text, path).to.not.match(/<script(?![^>]*\ssrc="\/)|\sstyle=|\son\w+=|<style|javascript:/);
      for (const [, source = ''] of text.matchAll(
        /<(?:script|link|img|iframe)[^>]*\s(?:src|href)="([^"]+)"/g,
      ))
        expect(source, path).to.match(/^\/(?!\/)/);
    }
  });

  it('show every sample as it stands in its file', () => {
    const shown = [...pages.values()].flatMap(({ text }) =>
      [...text.matchAll(/<pre tabindex="0" data-language="\w+"><code>(.*?)<\/code><\/pre>/gs)].map(
        ([, code = '']) => textOf(code),
      ),
    );
    const samples = filesBelow('docs/samples');
    expect(samples).to.have.lengthOf.above(35);
    for (const file of samples) expect(shown.includes(read(file)), file).to.equal(true);
  });

  it('explain every error with its cause and its remedy', () => {
    const errors = page('/docs/errors');
    for (const [code, [status, message]] of Object.entries(API_ERRORS)) {
      const section = sectionOf(errors, code);
      expect(section, code).to.include(String(status)).and.include(message);
      const { cause, remedy } = REMEDIES[code as keyof typeof API_ERRORS];
      for (const text of [cause, remedy]) {
        expect(text.length, code).to.be.above(20);
        expect(section, code).to.include(text.replaceAll('`', ''));
      }
      expect(section).to.match(/Cause\. .*Remedy\. /s);
    }
  });

  it('explain every status and every transition, and draw each arrow of the table', () => {
    const states = page('/docs/states');
    const drawing = /<svg.*?<\/svg>/s.exec(states)?.[0] ?? '';
    for (const status of STATUSES) {
      expect(sectionOf(states, status.toLowerCase()).length, status).to.be.above(40);
      expect(linksOf(drawing), status).to.include(`#${status.toLowerCase()}`);
    }
    const transitions = Object.entries<Transition>(TRANSITIONS);
    const arrows = transitions.flatMap(([trigger, { from, to }]) =>
      to === null ? [] : from.map(() => trigger),
    );
    expect(
      [...drawing.matchAll(/<tspan[^>]*>(\w+)<\/tspan>/g)].map(([, name = '']) => name).sort(),
    ).to.deep.equal(arrows.sort());
    const table = sectionOf(states, 'transitions');
    for (const [trigger, { event }] of transitions) expect(table).to.include(trigger).and.include(event);
  });

  it('begin the reference with the header of the key, to which each operation leads', async () => {
    const [, first = ''] = /<h2 id="([\w-]+)"/.exec(page('/docs/reference')) ?? [];
    expect(first).to.equal('authentication');
    expect(sectionOf(page('/docs/reference'), 'authentication')).to.include(
      'X-API-Key: $PAYMENT_CHECKOUT_KEY',
    );
    const { body: document } = await get('/v1/openapi.json');
    for (const methods of Object.values<Record<string, { operationId: string; tags: string[] }>>(
      document.paths,
    ))
      for (const { operationId, tags } of Object.values(methods))
        expect(sectionOf(page(`/docs/reference/${tags[0]?.toLowerCase()}`), operationId)).to.include(
          'X-API-Key: sk_...',
        );
  });

  it('show every recorded example of every operation and event, and say patterns in words', () => {
    const reference = [...pages].filter(([path]) => path.startsWith('/docs/reference'));
    const all = reference.map(([, { text }]) => textOf(text)).join('\n');
    const recorded = Object.values(EXAMPLES.operations).flatMap(({ request, responses }) =>
      [request, ...Object.values(responses)].flatMap((named) => Object.values(named)),
    );
    recorded.push(...Object.values(EXAMPLES.events));
    expect(recorded).to.have.lengthOf.above(80);
    for (const { summary, value } of recorded)
      expect(all.includes(JSON.stringify(value, null, 2)), summary).to.equal(true);
    expect(all).to.not.match(/Pattern:|\[0-9|\^\(/);
  });

  it('describe every operation, every object and every type of event of the OpenAPI document', async () => {
    const { body: document } = await get('/v1/openapi.json');
    for (const [path, methods] of Object.entries<Record<string, { operationId: string; tags: string[] }>>(
      document.paths,
    ))
      for (const { operationId, tags } of Object.values(methods)) {
        const section = page(`/docs/reference/${tags[0]?.toLowerCase()}`);
        expect(idsOf(section), operationId).to.include(operationId);
        expect(section).to.include(`<code>${path}</code>`);
      }
    expect(idsOf(page('/docs/reference/objects'))).to.include.members(
      Object.keys(document.components.schemas),
    );
    expect(idsOf(page('/docs/reference/webhook-events'))).to.include.members(
      EVENT_TYPES.map((type) => type.replaceAll(/[._]/g, '-')),
    );
  });
});

/** The text from one heading to the next of the same level or a higher one. */
function sectionOf(markup: string, id: string): string {
  const begin = markup.search(new RegExp(`<h[23] id="${id}"`));
  if (begin === -1) return expect.fail(`no heading ${id}`);
  const level = markup.charAt(begin + 2);
  const rest = markup.slice(begin + 3);
  const end = rest.search(new RegExp(`<h[1-${level}] |</main>`));
  return textOf(rest.slice(0, end));
}
