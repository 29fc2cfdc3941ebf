import { expect } from 'chai';
import { sql, valuesOf } from '../../../src/platform/postgres/sql.ts';

interface Params {
  readonly id: string;
  readonly at: Date;
}

describe('a declared statement', () => {
  it('numbers its parameters in the order of the text, and a repeated one once', () => {
    const statement = sql<never, Params>('test_numbers', (p) => `SELECT ${p.at}, ${p.id}, ${p.at}`);
    expect(statement.text).to.equal('SELECT $1, $2, $1');
    const at = new Date(0);
    expect(valuesOf(statement, { id: 'a', at })).to.deep.equal([at, 'a']);
  });

  it('is refused under the name of another text, and may be declared again with its own', () => {
    sql('test_once', 'SELECT 1');
    expect(sql('test_once', 'SELECT 1').text).to.equal('SELECT 1');
    expect(() => sql('test_once', 'SELECT 2')).to.throw('test_once');
  });

  it('is refused under a name that Postgres would cut', () => {
    expect(() => sql('x'.repeat(64), 'SELECT 1')).to.throw('longer than 63');
    expect(sql('x'.repeat(63), 'SELECT 1').name).to.have.length(63);
  });
});
