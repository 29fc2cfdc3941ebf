import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import {
  anchorsOf,
  DOCUMENTS,
  filesBelow,
  headingsOf,
  proseOf,
  read,
  tableOf,
  ROOT,
} from '../support/documents.ts';

/** The text of each citation of one of the two documents in a comment: contract, "Events". */
const CITATION = /\b(contract|specification)(?:, | \()["']([A-Z][a-z][^"']*)["']/gi;

/** A path of the project in a code span. */
const PATH = /`((?:src|test|docs|migrations|assets|bench|chaos|examples|\.ci)\/[^`*<>{} ]+)`/g;

describe('the documents', () => {
  for (const file of DOCUMENTS)
    it(`${file}: every relative link and every anchor resolves`, () => {
      for (const [, target = ''] of proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)) {
        // What guides link to below /docs is made by the service: test/http/docs follows those links.
        if (/^[a-z]+:/.test(target) || (file.startsWith('docs/guides/') && target.startsWith('/docs')))
          continue;
        const [path = '', anchor] = target.split('#');
        const linked = path === '' ? file : normalize(join(dirname(file), path));
        expect(existsSync(join(ROOT, linked)), `${target}: ${linked} exists`).to.equal(true);
        if (anchor !== undefined) expect([...anchorsOf(linked)], target).to.include(anchor);
      }
    });

  it('have no line of prose above 110 columns', () => {
    const long = DOCUMENTS.flatMap((file) =>
      proseOf(file)
        .split('\n')
        .filter((line) => line.length > 110 && !line.startsWith('|') && !/^ *`[^`]+`\S*$/.test(line))
        .map((line) => ({ file, line })),
    );
    expect(long).to.deep.equal([]);
  });

  it('can be reached from the README', () => {
    const reached = new Set(['README.md']);
    for (const file of reached)
      for (const [, path = ''] of proseOf(file).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g))
        if (path.endsWith('.md') && !/^[a-z]+:/.test(path)) reached.add(normalize(join(dirname(file), path)));
    expect(DOCUMENTS.filter((file) => !reached.has(file))).to.deep.equal([]);
  });

  it('have a heading for each citation of the contract and of the specification in src and migrations', () => {
    const headings = {
      contract: headingsOf('docs/contract.md'),
      specification: headingsOf('docs/specification.md'),
    };
    const cited = ['src', 'migrations'].flatMap(filesBelow).flatMap((file) =>
      // A citation may be broken by the end of a comment's line.
      [
        ...read(file)
          .replaceAll(/\s+(?:\*|\/\/|--)?\s*/g, ' ')
          .matchAll(CITATION),
      ].map(([, name = '', heading = '']) => ({
        file,
        document: name.toLowerCase() as keyof typeof headings,
        heading,
      })),
    );
    expect(cited.length).to.be.greaterThan(10);
    const missing = cited.filter(({ document, heading }) => !headings[document].includes(heading));
    expect(missing).to.deep.equal([]);
  });

  it('are cited by files and headings that exist: no source cites the README', () => {
    for (const file of ['src', 'migrations'].flatMap(filesBelow)) {
      expect(read(file), file).to.not.include('README');
      const text = read(file).replaceAll(/\s+(?:\*|\/\/|--)?\s*/g, ' ');
      for (const [, document = '', heading] of text.matchAll(/\b(docs\/[\w/-]+\.md)(?:, "([^"]+)")?/g)) {
        expect(DOCUMENTS, file).to.include(document);
        if (heading !== undefined) expect(headingsOf(document), file).to.include(heading);
      }
    }
  });

  it('run test files that exist in their commands', () => {
    const commands = DOCUMENTS.flatMap((file) =>
      [...read(file).matchAll(/^npx mocha (.+)$/gm)].flatMap(([, words = '']) =>
        words.split(' ').map((word) => ({ file, pattern: word.replaceAll("'", '') })),
      ),
    );
    expect(commands.length).to.be.greaterThan(10);
    const tests = filesBelow('test').filter((file) => file.endsWith('.test.ts'));
    const missing = commands.filter(({ pattern }) => !tests.some((test) => matchesGlob(test, pattern)));
    expect(missing).to.deep.equal([]);
  });

  it('name no file of the project that does not exist', () => {
    const named = DOCUMENTS.flatMap((file) =>
      [...proseOf(file).matchAll(PATH)].map(([, path = '']) => ({ file, path })),
    );
    // NNNN, xx and name stand for what the reader chooses.
    const chosen = /NNNN|\/xx\.|\/name\//;
    const missing = named.filter(({ path }) => !chosen.test(path) && !existsSync(join(ROOT, path)));
    expect(missing).to.deep.equal([]);
  });

  it('name no command of package.json that does not exist, and each that exists', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = DOCUMENTS.flatMap((file) =>
      [...read(file).matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map(([, name = '']) => ({ file, name })),
    ).filter(({ name }) => !['ci', 'install', 'pack', 'packages'].includes(name));
    const missing = named.filter(({ name }) => !Object.hasOwn(scripts, name));
    expect(missing).to.deep.equal([]);
    expect(named.map(({ name }) => name)).to.include.members(
      Object.keys(scripts).filter((name) => !/:(pure|ci)$|^pre(pack|pare)$/.test(name)),
    );
  });
});

describe('docs/glossary.md', () => {
  it('is in the order of the alphabet, and names no term twice', () => {
    const terms = tableOf('docs/glossary.md', 'term').map(([term = '']) => term.toLowerCase());
    expect(terms.length).to.be.greaterThan(40);
    expect(terms).to.deep.equal([...new Set(terms)].sort());
  });

  it('lists as names that stay only names that the code or the migrations still contain', () => {
    const source = [
      ...filesBelow('src').map(read),
      ...filesBelow('migrations'),
      ...filesBelow('migrations').map(read),
    ].join('\n');
    const names = tableOf('docs/glossary.md', 'name').flatMap(([names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(names.filter((name) => !source.includes(name))).to.deep.equal([]);
  });
});

/** Node 20 has no path.matchesGlob: `**` stands for any folders, `*` for any name. */
function matchesGlob(path: string, glob: string): boolean {
  const pattern = glob
    .replaceAll('.', String.raw`\.`)
    .replaceAll('**/', '<folders>')
    .replaceAll('*', '[^/]*')
    .replaceAll('<folders>', '(?:.*/)?');
  return new RegExp(`^${pattern}$`).test(path);
}
