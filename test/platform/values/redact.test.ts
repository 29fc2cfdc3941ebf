import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { newApiKey, newPublicToken } from '../../../src/platform/values/cells.ts';
import { newId, newToken, type IdPrefix } from '../../../src/platform/values/ids.ts';
import { redact } from '../../../src/platform/values/redact.ts';

const ADDRESSES = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
];

describe('redact', () => {
  it('finds every secret and personal detail, whatever surrounds it', () => {
    for (let i = 0; i < 50; i += 1)
      for (const secret of [
        newApiKey(i % 2 === 0 ? 'test' : 'live'),
        newApiKey(i % 2 === 0 ? 'test' : 'live', { cell: 'b7' }),
        `whsec_${randomBytes(32).toString('base64')}`,
        ...ADDRESSES,
        'anna.o-hara+shop@mail.example.co.uk',
        'анна@почта.example',
      ])
        for (const text of [
          secret,
          `{"error":"no ${secret} here"}`,
          `/v1/payment/${secret}/x`,
          `(${secret})`,
        ])
          expect(redact(text), text).to.not.include(secret);
    for (const prefix of ['sk_test_abcde', 'sk_live_b7_a_-dE', 'sk_test_northsea_abcde'])
      expect(redact(`key ${prefix}... "${prefix}"`)).to.equal(`key ${prefix}... "${prefix}"`);
    for (const token of [newToken(), newPublicToken({ cell: 'b7' }), newPublicToken({ cell: 'northsea' })])
      for (const path of [`/checkout/${token}`, `https://pay.example/checkout/${token}/events?lang=de`])
        expect(redact(path)).to.equal(path.replace(token, '[redacted]'));
    expect(redact('Basic YWRtaW46c2VjcmV0, bearer abc.def-123')).to.equal(
      'Basic [redacted], bearer [redacted]',
    );
    expect(redact('smtps://u:p%40w@mail:465 postgres://me@db/x')).to.equal(
      'smtps://[redacted]@mail:465 postgres://[redacted]@db/x',
    );
  });

  it('leaves ids, hashes, paths and times as they are', () => {
    for (const text of [
      ...(['mer', 'pay', 'evt', 'dlv', 'ref', 'req'] satisfies IdPrefix[]).map((prefix) =>
        newId(prefix, new Date(0)),
      ),
      `0x${'ab'.repeat(32)}`,
      '1f3a2c4d5e6f7a8b9c1d2e3f4a5b6c7d',
      'a3bb189e-8bf9-4c8e-9f7d-1f3a2c4d5e6f',
      '2026-11-22T12:00:00.000Z',
      'connect ECONNREFUSED 127.0.0.1:5432',
      '    at run (file:///app/node_modules/@bull-board/api/dist/index.js:12:3)',
      'checkout page: language not recorded',
    ])
      expect(redact(text)).to.equal(text);
  });

  it('takes time in proportion to the text, whatever it holds', () => {
    for (const piece of ['a', '@', 'a@a.', 'a@', '0x', 'sk_test_', 'http://', '1A', 'Basic ']) {
      const begin = process.cpuUsage();
      redact(piece.repeat(100_000 / piece.length));
      expect(process.cpuUsage(begin).user / 1_000, piece).to.be.lessThan(1_000);
    }
  });
});
