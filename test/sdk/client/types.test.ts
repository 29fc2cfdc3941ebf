import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientTypes } from '../../support/client-types.ts';
import { read, ROOT } from '../../support/documents.ts';

const FOLDER = 'src/sdk/client/types';

describe("the client's types", () => {
  it('are those of the schemas: `npm run types:sdk` writes them', () => {
    expect(readdirSync(join(ROOT, FOLDER))).to.have.members([...clientTypes().keys()]);
    for (const [file, text] of clientTypes())
      expect(withoutLayout(read(`${FOLDER}/${file}`)), file).to.equal(withoutLayout(text));
  });
});

/** Without what the formatter decides: white space, and where a union of several lines begins. */
function withoutLayout(text: string): string {
  return text.replaceAll(/\s+(?:\* )?/g, '').replaceAll(/([:(=?])\|/g, '$1');
}
