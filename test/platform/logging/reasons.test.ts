import { expect } from 'chai';
import { faultOf, reasonOf } from '../../../src/platform/logging/reasons.ts';

const withCode = (code: string, message = 'in the language of the server') =>
  Object.assign(new Error(message), { code });

describe('reasons of faults', () => {
  const CODES: readonly (readonly [code: string, reason: string])[] = [
    ['53100', 'Postgres: disk full'],
    ['53200', 'Postgres: out of memory'],
    ['53300', 'Postgres: too many connections'],
    ['57P01', 'Postgres: shut down by an administrator'],
    ['57P02', 'Postgres: crashed; it recovers'],
    ['57P03', 'Postgres: starting up or shutting down'],
    ['25006', 'Postgres: read-only (a standby, or default_transaction_read_only)'],
    ['57014', 'Postgres: statement timeout or cancelled'],
    ['55P03', 'Postgres: a lock was not free in time'],
    ['40P01', 'Postgres: deadlock'],
    ['28P01', 'Postgres: wrong password'],
    ['3D000', 'Postgres: no such database'],
    ['08006', 'Postgres: the connection was lost'],
    ['ECONNREFUSED', 'connection refused'],
    ['ETIMEDOUT', 'connection timed out'],
    ['ENOTFOUND', 'host name not found'],
  ];
  for (const [code, reason] of CODES)
    it(`${code}: ${reason}`, () => expect(reasonOf(withCode(code))).to.equal(reason));

  const MESSAGES: readonly (readonly [message: string, reason: string])[] = [
    ["OOM command not allowed when used memory > 'maxmemory'.", 'Redis: out of memory (maxmemory)'],
    [
      "READONLY You can't write against a read only replica.",
      'Redis: read-only, because REDIS_URL names a replica',
    ],
    ['LOADING Redis is loading the dataset in memory', 'Redis: loading its data'],
    ['NOAUTH Authentication required.', 'Redis: wrong or missing password'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'Redis: wrong or missing password'],
    ['MISCONF Redis is configured to save RDB snapshots', 'Redis: cannot write to its disk'],
    ['CLUSTERDOWN Hash slot not served', 'Redis: the cluster is down'],
    ['Command timed out', 'Redis: no reply in time'],
    ['Query read timeout', 'Postgres: no result in time'],
  ];
  for (const [message, reason] of MESSAGES)
    it(message, () => expect(reasonOf(new Error(message))).to.equal(reason));

  it('of a host with several addresses, and of an error behind another', () => {
    const refused = withCode('ECONNREFUSED', 'connect ECONNREFUSED ::1:6379');
    const both = new AggregateError([
      refused,
      withCode('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:6379'),
    ]);
    expect(faultOf(both)).to.deep.equal({
      reason: 'connection refused',
      error: 'connect ECONNREFUSED ::1:6379; connect ECONNREFUSED 127.0.0.1:6379',
    });
    expect(reasonOf(new Error('outer', { cause: refused }))).to.equal('connection refused');
  });

  it('invents none for a fault of the code', () => {
    expect(faultOf(new TypeError('x is not a function'))).to.deep.equal({ error: 'x is not a function' });
    expect(faultOf('thrown text')).to.deep.equal({ error: 'thrown text' });
  });
});
