import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const ROOT = new URL('../', import.meta.url);

/** What is no public interface of a package, and where it is used all the same: see ADR 107. */
const PRIVATE: readonly { what: string; pattern: RegExp; except?: readonly string[] }[] = [
  {
    what: "knex's driver, connections and pool",
    pattern: /\.client\.(?:driver|pool|config)\b|__knex|\b(?:acquire|release)(?:Raw)?Connection\b/,
  },
  { what: 'a stand-in of knex that passes on all else', pattern: /new Proxy\((?:db|tx|knex)\b/ },
  {
    what: "the driver's wire",
    pattern: /\bparsedStatements\b|\.connection\.(?:stream|end|on)\b|\bhandle(?:DataRow|CommandComplete)\b/,
    except: ['src/platform/postgres/transactions/pipeline.ts'],
  },
  {
    what: "fields of the driver's client that its types do not have, or have for reading",
    pattern: /\bprocessID\b|Object\.assign\(this,/,
    except: ['src/platform/postgres/client.ts', 'src/platform/postgres/pooler.ts'],
  },
  {
    what: "the inside of BullMQ's backend",
    pattern: /\b(?:readyPromise|ensureListening|listenClient)\b/,
  },
  {
    what: 'the state of a connection of ioredis',
    pattern: /\bclient\.status = /,
  },
  { what: 'a field of a library whose name begins with _', pattern: /(?<!\bthis)\._[a-z]|\[['"]_[a-z]/ },
  {
    what: 'a prototype that is changed',
    pattern: /\.prototype(?:\.\w+)? = |(?:assign|defineProperty|setPrototypeOf)\(\w*[pP]rototype\b/,
    except: ['src/http/server.ts'],
  },
  {
    what: 'a file that its package does not document',
    // ajv: the class for JSON Schema 2020-12. highlight.js: the core, to which languages are added.
    pattern:
      /(?:from|import|load)[ (]'(?!\.|node:|ajv\/dist\/2020\.js'|highlight\.js\/lib\/)(?:@[\w-]+\/)?[\w.-]+\/(?:lib|dist|src|esm|cjs)\//,
  },
];
/** Casts that the types of a package need: an index signature, the methods of a query. */
const CASTS = ['src/background/queues.ts', 'src/platform/postgres/transactions/pipeline.ts'];

const files = readdirSync(new URL('src', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('sdk/'))
  .map((file) => ({
    file: `src/${file}`,
    text: withoutComments(readFileSync(new URL(`src/${file}`, ROOT), 'utf8')),
  }))
  .toSorted((one, other) => (one.file < other.file ? -1 : 1));

describe('private parts of libraries', () => {
  for (const { what, pattern, except = [] } of PRIVATE)
    it(`are not touched: ${what}`, () => {
      const found = files.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
      expect(found.filter((file) => !except.includes(file))).to.deep.equal([]);
      expect(except, 'exceptions that are none any more').to.deep.equal(
        except.filter((file) => found.includes(file)),
      );
    });

  it('need no cast through unknown, but for those that are known', () => {
    const casts = files.flatMap(({ file, text }) =>
      text
        .split(/\bas unknown as\b/)
        .slice(1)
        .map(() => file),
    );
    expect(casts.filter((file) => !CASTS.includes(file))).to.deep.equal([]);
    expect(casts.length).to.be.at.most(CASTS.length);
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
}
