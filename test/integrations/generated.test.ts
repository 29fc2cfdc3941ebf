import { expect } from 'chai';
import { read } from '../support/documents.ts';
import { generatedFiles } from '../support/integrations/files.ts';
import { OPERATIONS } from '../support/integrations/operations.ts';

describe('the clients of Python and PHP', () => {
  for (const [file, text] of generatedFiles())
    // Of the vectors the formatter decides the lines: their own test compares them.
    if (!file.endsWith('.json'))
      it(`${file} is what \`npm run integrations\` writes from the OpenAPI document`, () => {
        expect(read(`integrations/${file}`)).to.equal(text);
      });

  it('have a method for each operation', () => {
    const python = [...read('integrations/python/payment_checkout/client.py').matchAll(/^ {4}def (\w+)/gm)];
    const php = [...read('integrations/php/src/Client.php').matchAll(/public function (\w+)/g)];
    const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const ids = OPERATIONS.map(({ id }) => id);
    expect(ids).to.include('createPayment');
    expect(python.map(([, name = '']) => camel(name))).to.deep.equal(ids);
    expect(php.map(([, name]) => name)).to.deep.equal(ids);
  });

  it('have no line above their limit', () => {
    for (const [file, text] of generatedFiles())
      expect(
        text.split('\n').filter((line) => line.length > (file.endsWith('.php') ? 120 : 99)),
        file,
      ).to.deep.equal(file.endsWith('.json') ? text.split('\n').filter((line) => line.length > 99) : []);
  });
});
