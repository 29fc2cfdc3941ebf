import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../processes/service.ts';
import { anchorsOf, DOCUMENTS, filesBelow, headingsOf, proseOf, read } from '../support/documents.ts';

/** The text of each citation of one of the two documents in a comment: contract, "Events". */
const CITATION = /\b(contract|specification)[,:]? \(?["']([A-Z][^"']*)["']/gi;

describe('the documents', () => {
  for (const file of DOCUMENTS)
    it(`${file}: every relative link and every anchor resolves`, () => {
      for (const [, target = ''] of proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const linked = path === '' ? file : normalize(join(dirname(file), path));
        expect(existsSync(join(ROOT, linked)), `${target}: ${linked} exists`).to.equal(true);
        if (anchor !== undefined) expect([...anchorsOf(linked)], target).to.include(anchor);
      }
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

  it('name no file of the project that does not exist', () => {
    for (const file of DOCUMENTS)
      for (const [, path = ''] of proseOf(file).matchAll(
        /`((?:src|test|docs|migrations|bench|chaos|examples|\.ci)\/[^`*<>{} ]+)`/g,
      ))
        // A name with capitals (NNNN_name.sql) or xx stands for one that the reader chooses.
        if (!/NNNN|\/xx|name/.test(path))
          expect(existsSync(join(ROOT, path)), `${file}: ${path}`).to.equal(true);
  });

  it('name no command of package.json that does not exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const file of DOCUMENTS)
      for (const [, name] of read(file).matchAll(/\bnpm run ([\w:-]+)/g))
        expect(scripts, file).to.have.property(name ?? '');
  });
});
