import { refusesBadInput } from '../../support/bad-input.ts';
import { expectError, ORDER } from '../../support/http.ts';

type Row = readonly [name: string, field: string, value: unknown, constraint: string];

const LONE = '\ud800';

/** No browser follows these; and nothing may be sent to them. */
const URL_FAULTS: readonly Row[] = ['callback_url', 'success_url', 'cancel_url'].flatMap((field): Row[] => [
  ['a number', field, 1, 'type'],
  ['null', field, null, 'type'],
  ['empty', field, '', 'format'],
  ['no URL', field, 'shop', 'format'],
  ['relative', field, '/thanks', 'format'],
  ['without a scheme', field, '//shop.example/', 'format'],
  ['javascript:', field, 'javascript:alert(1)', 'format'],
  ['javascript: with a host', field, 'javascript://shop.example/%0aalert(1)', 'format'],
  ['data:', field, 'data:text/html,x', 'format'],
  ['file:', field, 'file:///etc/passwd', 'format'],
  ['ftp:', field, 'ftp://shop.example/', 'format'],
  ['http:', field, 'http://shop.example/', 'format'],
  ['with credentials', field, 'https://user:secret@shop.example/', 'format'],
  ['with a user name', field, 'https://user@shop.example/', 'format'],
  ['with a space', field, 'https://shop.example/a b', 'format'],
  ['with a line feed', field, 'https://shop.example/\nx', 'format'],
  ['with NUL', field, 'https://shop.example/\0', 'format'],
  ['with a lone surrogate', field, `https://shop.example/${LONE}`, 'format'],
  ['with a backslash', field, 'https:\\\\shop.example', 'format'],
  ['of 2049 characters', field, `https://shop.example/${'a'.repeat(2028)}`, 'maxLength'],
  ['of 2,000 CJK characters', field, `https://shop.example/${'漢'.repeat(2000)}`, 'maxLength'],
  ['of 2049 bytes percent-encoded', field, `https://shop.example/${'漢'.repeat(225)}aaa`, 'maxLength'],
]);

const PRIVATE_HOSTS = [
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  'intranet',
  'db.internal',
  'printer.local',
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '168.63.129.16',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
];

/** What a body needs beside its URL. */
const BESIDE = { callback_url: ORDER, webhookUrl: { enabled: true }, url: {} };

describe('bad input in a URL', () => {
  const input = refusesBadInput();

  describe('of POST /v1/payment: 400 names it and the rule', () => {
    for (const [name, field, value, constraint] of URL_FAULTS)
      it(`${field}: ${name}`, async () => {
        const answer = await input.send('POST', '/v1/payment', JSON.stringify({ ...ORDER, [field]: value }));
        expectError(input.harness, answer, 400, { field, constraint });
      });
  });

  for (const [method, path, field] of [
    ['POST', '/v1/payment', 'callback_url'],
    ['PUT', '/v1/webhooks/config', 'webhookUrl'],
    ['POST', '/v1/webhooks/test', 'url'],
    ['POST', '/v1/webhooks/examine', 'url'],
  ] as const)
    describe(`${field} of ${method} ${path} to where nothing may be sent: 400`, () => {
      const bodyWith = (url: string) => JSON.stringify({ ...BESIDE[field], [field]: url });
      for (const host of PRIVATE_HOSTS)
        it(host, async () => {
          const answer = await input.send(method, path, bodyWith(`https://${host}/hooks`));
          expectError(input.harness, answer, 400, { field, constraint: 'format' });
        });
      for (const port of [22, 25, 6379 - 5379, 0])
        it(`port ${port}`, async () => {
          const answer = await input.send(method, path, bodyWith(`https://shop.example:${port}/`));
          expectError(input.harness, answer, 400, { field, constraint: 'format' });
        });
    });
});
