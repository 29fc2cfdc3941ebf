import { expect } from 'chai';
import { filesBelow, read } from '../support/documents.ts';

/** Each thing has one name, in samples, examples, documents and programs. */
const SHARED = ['PAYMENT_CHECKOUT_URL', 'PAYMENT_CHECKOUT_KEY', 'WEBHOOK_SECRET'];
/** Of one program each. */
const OWN = [
  'PAYMENT_ID',
  'PORT',
  'DATABASE',
  'DATABASE_URL',
  'JOURNAL',
  'SHOP_URL',
  'PAYMENT_CHECKOUT_PROFILE',
];
/** Older: read where WEBHOOK_SECRET is not set. */
const ALIAS = 'WEBHOOK_SECRETS';

const READS = [
  /process\.env\.([A-Z]\w*)/g,
  /os\.environ(?:\.get\(|\[)"(\w+)"/g,
  /getenv\('(\w+)'\)/g,
  /(?:os\.Getenv|environment)\("(\w+)"/g,
];
const READS_OF_SHELLS = [/\$\{?([A-Z][A-Z_]+)\b/g];

const PROGRAMS = [...filesBelow('docs/samples'), ...filesBelow('examples')].filter(
  (file) => !file.endsWith('.md'),
);

describe('the variables of programs that use the service', () => {
  for (const file of PROGRAMS)
    it(`have one name each: ${file}`, () => {
      const text = read(file);
      const destructured = [...text.matchAll(/const \{([^}]*)\} = process\.env/g)].flatMap(
        ([, names = '']) => names.match(/\b[A-Z]\w*(?=\s*[,=]|\s*$)/g) ?? [],
      );
      const reads = file.endsWith('.sh') ? READS_OF_SHELLS : READS;
      const named = reads.flatMap((read) => [...text.matchAll(read)].map(([, name = '']) => name));
      expect([...SHARED, ...OWN, ALIAS]).to.include.members([...destructured, ...named]);
    });

  it('have no other name in documents and in the command line; the older one stands beside its successor', () => {
    const files = [...filesBelow('docs'), ...filesBelow('examples'), ...filesBelow('src/sdk'), 'README.md'];
    const found = files
      .filter((file) => !file.startsWith('docs/adr/'))
      .flatMap((file) => {
        const lines = read(file).split('\n');
        return lines.flatMap((line, i) => {
          const around = lines.slice(Math.max(0, i - 1), i + 1).join(' ');
          const isAlias = line.includes(ALIAS) && !/\bWEBHOOK_SECRET\b/.test(around);
          return isAlias || /(?<![\w-])(API_KEY|BASE_URL|SERVICE_URL)\b/.test(line)
            ? [`${file}: ${line}`]
            : [];
        });
      });
    expect(found).to.deep.equal([]);
  });
});
