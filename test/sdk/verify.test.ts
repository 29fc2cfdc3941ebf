import { randomBytes } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { publicKeyOf } from '../../src/sdk/key-pairs.ts';
import * as edge from '../../src/sdk/edge/index.ts';
import * as node from '../../src/sdk/index.ts';
import {
  signWebhook,
  webhookSecrets,
  type ReceivedHeaders,
  type VerifyWebhookOptions,
} from '../../src/sdk/index.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const newKey = () => `whsk_${randomBytes(32).toString('base64')}`;
const SECRET = newSecret();
const NOW = new Date('2026-01-31T12:00:00.000Z');
const EVENT = { id: 'evt_1', type: 'checkout.settled', metadata: { orderId: 'é 漢字 €' } };
const BODY = Buffer.from(JSON.stringify(EVENT));

const signed = (secrets: string | string[] = SECRET, now = NOW, rawBody: Buffer | string = BODY) =>
  signWebhook({ eventId: 'evt_1', rawBody, secrets, now });
const SPECIFIED = ['X-Webhook-Signature', 'X-Webhook-Timestamp'];
const only = (headers: Record<string, string>, isWanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isWanted(name)));
/** The two kinds of signature, each alone. */
const KINDS: Readonly<Record<string, (headers: Record<string, string>) => Record<string, string>>> = {
  'the specification': (headers) => only(headers, (name) => SPECIFIED.includes(name)),
  'Standard Webhooks': (headers) => only(headers, (name) => !SPECIFIED.includes(name)),
};
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

for (const [runtime, { verifyWebhook }] of [
  ['in Node', node],
  ['at the edge, with Web Crypto', edge],
] as const)
  describe(`verifying a webhook ${runtime}`, () => {
    const verify = async (headers: ReceivedHeaders, more: Partial<VerifyWebhookOptions> = {}) =>
      await verifyWebhook({ rawBody: BODY, headers, secrets: SECRET, now: NOW, ...more });
    const reasonOf = async (...args: Parameters<typeof verify>) => {
      const result = await verify(...args);
      return result.ok ? 'ok' : result.reason;
    };

    /** The error of a call that cannot be meant. */
    const errorOf = (wrong: object) => verify(signed(), wrong).catch((error: unknown) => error);

    it('accepts a signed request, and returns the event and its id', async () => {
      expect(await verify(signed())).to.deep.equal({ ok: true, event: EVENT, eventId: 'evt_1' });
    });

    for (const [kind, pick] of Object.entries(KINDS))
      describe(`by the headers of ${kind} alone`, () => {
        it('accepts a signed request', async () => {
          expect(await reasonOf(pick(signed()))).to.equal('ok');
        });
        it('no_match: another body, by a single bit or white space', async () => {
          const flipped = Buffer.from(BODY);
          flipped[5] = (flipped[5] ?? 0) ^ 1;
          for (const rawBody of [flipped, Buffer.concat([BODY, Buffer.from(' ')]), Buffer.alloc(0), '{}'])
            expect(await reasonOf(pick(signed()), { rawBody })).to.equal('no_match');
        });
        it('no_match: another secret', async () => {
          expect(await reasonOf(pick(signed(newSecret())))).to.equal('no_match');
        });
        it('no_match: a timestamp that was not signed', async () => {
          const stale = pick(signed(SECRET, after(-301)));
          for (const name of ['X-Webhook-Timestamp', 'webhook-timestamp'])
            if (name in stale) stale[name] = signed()['webhook-timestamp'];
          expect(await reasonOf(stale)).to.equal('no_match');
        });
        it('accepts 300 s into the past and the future, and reports the direction of a violation', async () => {
          const headers = pick(signed());
          for (const [seconds, reason] of [
            [300, 'ok'],
            [300.001, 'timestamp_too_old'],
            [301, 'timestamp_too_old'],
            [-300, 'ok'],
            [-300.001, 'timestamp_too_new'],
          ] as const)
            expect(await reasonOf(headers, { now: after(seconds) }), String(seconds)).to.equal(reason);
        });
        it('toleranceSeconds replaces the 300 s; 0 is none', async () => {
          const headers = pick(signed());
          expect(await reasonOf(headers, { now: after(600), toleranceSeconds: 600 })).to.equal('ok');
          expect(await reasonOf(headers, { now: after(1), toleranceSeconds: 0 })).to.equal(
            'timestamp_too_old',
          );
        });
        it('an old request with another secret is no_match: a reason about time implies a valid signature', async () => {
          expect(await reasonOf(pick(signed(newSecret(), after(-301))))).to.equal('no_match');
        });
        it('missing_header: any of them', async () => {
          for (const name of Object.keys(pick(signed())))
            expect(await reasonOf(only(pick(signed()), (other) => other !== name)), name).to.equal(
              'missing_header',
            );
        });
        it('malformed_header: an impossible value, or two values', async () => {
          for (const name of Object.keys(pick(signed()))) {
            expect(await reasonOf({ ...pick(signed()), [name]: '' }), name).to.equal('malformed_header');
            if (name !== 'webhook-signature')
              expect(await reasonOf({ ...pick(signed()), [name]: ['1', '2'] }), name).to.equal(
                'malformed_header',
              );
            if (name.toLowerCase().endsWith('timestamp'))
              for (const value of [
                'soon',
                '-1',
                '1e9',
                '1.5',
                'NaN',
                'Infinity',
                '9'.repeat(13),
                ' 1',
                '0x10',
              ])
                expect(await reasonOf({ ...pick(signed()), [name]: value }), value).to.equal(
                  'malformed_header',
                );
          }
        });
        it('accepts either of several secrets', async () => {
          expect(await reasonOf(pick(signed()), { secrets: [newSecret(), SECRET] })).to.equal('ok');
          expect(await reasonOf(pick(signed()), { secrets: [newSecret(), newSecret()] })).to.equal(
            'no_match',
          );
        });
      });

    it('during a rotation accepts the event with the new secret, the old one, or both', async () => {
      const newest = newSecret();
      const headers = signed([newest, SECRET]);
      for (const secrets of [newest, SECRET, [newest, SECRET], [SECRET, newest]])
        expect(await reasonOf(headers, { secrets })).to.equal('ok');
    });

    it('uses the headers of Standard Webhooks when both kinds are present', async () => {
      const [good, bad] = [signed(), signed(newSecret())];
      const [specified, standard] = Object.values(KINDS);
      expect(await reasonOf({ ...good, ...specified?.(bad) })).to.equal('ok');
      expect(await reasonOf({ ...good, ...standard?.(bad) })).to.equal('no_match');
      expect(await reasonOf({ ...good, 'webhook-signature': '' })).to.equal('malformed_header');
    });

    it('finds the right one among several signatures, and skips other versions', async () => {
      const { 'webhook-signature': right } = signed();
      const among = `v1,${'A'.repeat(43)}= v1a,xyz v1, v2,${right.slice(3)} ${right}`;
      expect(await reasonOf({ ...signed(), 'webhook-signature': among })).to.equal('ok');
      expect(await reasonOf({ ...signed(), 'webhook-signature': [among.slice(0, 40), right] })).to.equal(
        'ok',
      );
      expect(await reasonOf({ ...signed(), 'webhook-signature': right.replace('v1,', 'v2,') })).to.equal(
        'malformed_header',
      );
      expect(await reasonOf({ ...signed(), 'webhook-signature': right.slice(0, -8) })).to.equal('no_match');
    });

    it('accepts headers in any case, as lists of one, and as Fetch Headers', async () => {
      const headers = signed();
      const named = (change: (name: string) => string) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value]));
      expect(await reasonOf(named((name) => name.toUpperCase()))).to.equal('ok');
      expect(await reasonOf(named((name) => name.toLowerCase()))).to.equal('ok');
      const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
      expect(await reasonOf(lists)).to.equal('ok');
      expect(await reasonOf(new Headers(headers))).to.equal('ok');
      expect(await reasonOf(new Headers())).to.equal('missing_header');
      expect(await reasonOf({ ...headers, get: 'a header of this name', other: undefined })).to.equal('ok');
      for (const value of [5, {}, [null]] as unknown as string[])
        expect(await reasonOf({ ...headers, 'webhook-signature': value })).to.equal('malformed_header');
    });

    it('accepts the body as Buffer, Uint8Array or string', async () => {
      for (const rawBody of [BODY, new Uint8Array(BODY), BODY.toString()])
        expect(await reasonOf(signed(), { rawBody })).to.equal('ok');
    });

    it('accepts bytes of any kind, and those of another realm, as jsdom and vm have', async () => {
      const theirs = createContext({ bytes: [...BODY] });
      const other = (code: string) => runInContext(code, theirs) as ArrayBuffer;
      const { buffer } = new Uint8Array(BODY);
      const foreign = other('Uint8Array.from(bytes)');
      expect(foreign instanceof Uint8Array).to.equal(false);
      for (const rawBody of [
        buffer,
        new DataView(buffer),
        foreign,
        other('Uint8Array.from(bytes).buffer'),
        other('Uint8Array.from([1, ...bytes, 2]).subarray(1, -1)'),
      ])
        expect(await reasonOf(signed(), { rawBody })).to.equal('ok');
      expect(
        await reasonOf(signed(), { now: other(`new Date(${NOW.getTime()})`) as unknown as Date }),
      ).to.equal('ok');
    });

    it('throws TypeError that names the argument and the remedy, for one of a wrong type', async () => {
      for (const [wrong, message] of [
        [{ headers: null }, /^headers must be the request's headers, .*request\.headers, not null$/],
        [{ headers: undefined }, /^headers must .* not undefined$/],
        [{ headers: ['webhook-id', 'evt_1'] }, /^headers must .* not an array$/],
        [{ headers: 'webhook-id: evt_1' }, /^headers must .* not a string$/],
        [{ now: Date.now() }, /^now must be a Date, not a number: .* new Date\(milliseconds\)$/],
        [{ now: '2026-01-31' }, /^now must be a Date, not a string/],
        [{ now: null }, /^now must be a Date, not null: leave it out/],
        [
          { toleranceSeconds: null },
          /^toleranceSeconds must be a number, .* not null: leave it out for 300$/,
        ],
        [{ toleranceSeconds: '300' }, /^toleranceSeconds must be a number, .* not a string/],
        [{ secrets: 12345 }, /^secrets must be a string or an array of strings, whsec_\.\.\., not a number$/],
        [{ secrets: [12345] }, /^secrets must .* not a number$/],
        [{ secrets: null }, /^secrets must .* not null$/],
        [{ secrets: undefined }, /set WEBHOOK_SECRET/],
        [
          { publicKeys: 1 },
          /^publicKeys must be a string or an array of strings, whpk_\.\.\., not a number$/,
        ],
      ] as const) {
        const error = await errorOf(wrong);
        expect(error, JSON.stringify(wrong)).to.be.instanceOf(TypeError);
        expect((error as Error).message).to.match(message);
      }
      const none = await Promise.resolve()
        .then(() => verifyWebhook(undefined as never))
        .catch((error: unknown) => error);
      expect((none as Error).message).to.match(
        /^verifyWebhook takes one object, not undefined: verifyWebhook\(\{ rawBody/,
      );
    });

    it('body_not_raw: a parsed body, with the reason why it cannot be verified', async () => {
      for (const rawBody of [EVENT, null, undefined, 1, [...BODY], new Blob([BODY])] as unknown as Buffer[]) {
        const result = await verify(signed(), { rawBody });
        expect(result).to.include({ ok: false, reason: 'body_not_raw' });
        expect(result).to.have.property('message').that.includes('express.raw');
      }
    });

    it('body_not_json and body_not_event: well signed, but no event', async () => {
      for (const [text, reason] of [
        ['', 'body_not_json'],
        ['{"id":', 'body_not_json'],
        ['null', 'body_not_event'],
        ['7', 'body_not_event'],
        ['[]', 'body_not_event'],
        ['{"id":1,"type":"checkout.settled"}', 'body_not_event'],
        ['{"id":"evt_1"}', 'body_not_event'],
      ] as const) {
        const rawBody = Buffer.from(text);
        expect(await reasonOf(signed(SECRET, NOW, rawBody), { rawBody }), text).to.equal(reason);
      }
      const rawBody = Buffer.from([0x22, 0xff, 0x22]);
      expect(await reasonOf(signed(SECRET, NOW, rawBody), { rawBody })).to.equal('body_not_json');
    });

    it('accepts an event of an unknown type', async () => {
      const rawBody = JSON.stringify({ ...EVENT, type: 'checkout.disputed' });
      expect(await reasonOf(signed(SECRET, NOW, rawBody), { rawBody })).to.equal('ok');
    });

    it('accepts a request that the package standardwebhooks signed', async () => {
      const signature = new Webhook(SECRET).sign('evt_1', NOW, BODY.toString());
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(NOW.getTime() / 1000),
        'webhook-signature': signature,
      };
      expect(await reasonOf(headers)).to.equal('ok');
    });

    it('verifies and signs with the current time by default', async () => {
      const headers = signWebhook({ eventId: 'evt_1', rawBody: BODY, secrets: SECRET });
      expect((await verifyWebhook({ rawBody: BODY, headers, secrets: SECRET })).ok).to.equal(true);
      expect(await verifyWebhook({ rawBody: BODY, headers: signed(), secrets: SECRET })).to.have.property(
        'ok',
        false,
      );
    });

    it('trims white space around a secret, such as the line feed at the end of a file', async () => {
      for (const secrets of [`${SECRET}\n`, [` ${SECRET}`, `${newSecret()}\r\n`]])
        expect(await reasonOf(signed(), { secrets })).to.equal('ok');
      expect(signed(`${SECRET}\n`)).to.deep.equal(signed());
    });

    it('verifies an ed25519 signature with the public key alone', async () => {
      const [key, other] = [newKey(), newKey()];
      const headers = signWebhook({
        eventId: 'evt_1',
        rawBody: BODY,
        secrets: SECRET,
        signingKeys: [key],
        now: NOW,
      });
      const alone = (publicKeys: string | string[]) => ({ publicKeys, secrets: undefined }) as object;
      expect(await reasonOf(headers, alone(publicKeyOf(key)))).to.equal('ok');
      expect(await reasonOf(headers, alone([publicKeyOf(other), publicKeyOf(key)]))).to.equal('ok');
      expect(await reasonOf(headers, alone(publicKeyOf(other)))).to.equal('no_match');
      expect(await reasonOf(signed(), alone(publicKeyOf(key)))).to.equal('no_match');
      expect(await reasonOf(headers, { ...alone(publicKeyOf(key)), rawBody: '{}' })).to.equal('no_match');
      expect(await errorOf(alone('whpk_AAAA'))).to.be.instanceOf(TypeError);
    });

    it('reads at most twenty signatures of a kind', async () => {
      const { 'webhook-signature': right } = signed();
      const behind = (others: number) => `${'v1,AAAA '.repeat(others)}${right}`;
      expect(await reasonOf({ ...signed(), 'webhook-signature': behind(19) })).to.equal('ok');
      expect(await reasonOf({ ...signed(), 'webhook-signature': behind(20) })).to.equal('no_match');
    });

    it('webhookSecrets reads what is configured, or throws at the start', () => {
      const other = newSecret();
      expect(webhookSecrets(`${SECRET}, ${other}\n`)).to.deep.equal([SECRET, other]);
      expect(webhookSecrets(` ${SECRET},`)).to.deep.equal([SECRET]);
      for (const configured of [undefined, null, 7, '', ' , ', 'hunter2', `${SECRET},whsec_`] as (
        | string
        | undefined
      )[])
        expect(() => webhookSecrets(configured), configured)
          .to.throw(TypeError)
          .with.property('message')
          .that.does.not.match(/hunter2|[\w+/]{20}/);
    });

    it('throws TypeError for a programming error, and shows no secret', async () => {
      const short = `whsec_${randomBytes(16).toString('base64')}`;
      for (const secrets of [
        '',
        [],
        'whsec_',
        short,
        ' ',
        `${SECRET} ${SECRET}`,
        SECRET.slice(6),
        [SECRET, ''],
        ['hunter2'],
      ])
        expect(await errorOf({ secrets }), JSON.stringify(secrets))
          .to.be.instanceOf(TypeError)
          .with.property('message')
          .that.does.not.match(/hunter2|[\w+/]{20}/);
      for (const toleranceSeconds of [-1, Number.NaN])
        expect(await errorOf({ toleranceSeconds })).to.be.instanceOf(TypeError);
      expect(await errorOf({ now: new Date('never') })).to.be.instanceOf(TypeError);
    });
  });
