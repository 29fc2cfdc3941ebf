import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import {
  signWebhook,
  verifyWebhook,
  webhookSecrets,
  type ReceivedHeaders,
  type VerifyWebhookOptions,
} from '../../src/sdk/index.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
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
const verify = (headers: ReceivedHeaders, more: Partial<VerifyWebhookOptions> = {}) =>
  verifyWebhook({ rawBody: BODY, headers, secrets: SECRET, now: NOW, ...more });
const reasonOf = (...args: Parameters<typeof verify>) => {
  const result = verify(...args);
  return result.ok ? 'ok' : result.reason;
};
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

describe('verifying a webhook', () => {
  it('accepts a signed request, and returns the event and its id', () => {
    expect(verify(signed())).to.deep.equal({ ok: true, event: EVENT, eventId: 'evt_1' });
  });

  for (const [kind, pick] of Object.entries(KINDS))
    describe(`by the headers of ${kind} alone`, () => {
      it('accepts a signed request', () => {
        expect(reasonOf(pick(signed()))).to.equal('ok');
      });
      it('no_match: another body, by a single bit or white space', () => {
        const flipped = Buffer.from(BODY);
        flipped[5] = (flipped[5] ?? 0) ^ 1;
        for (const rawBody of [flipped, Buffer.concat([BODY, Buffer.from(' ')]), Buffer.alloc(0), '{}'])
          expect(reasonOf(pick(signed()), { rawBody })).to.equal('no_match');
      });
      it('no_match: another secret', () => {
        expect(reasonOf(pick(signed(newSecret())))).to.equal('no_match');
      });
      it('no_match: a timestamp that was not signed', () => {
        const stale = pick(signed(SECRET, after(-301)));
        for (const name of ['X-Webhook-Timestamp', 'webhook-timestamp'])
          if (name in stale) stale[name] = signed()['webhook-timestamp'];
        expect(reasonOf(stale)).to.equal('no_match');
      });
      it('accepts 300 s into the past and the future, and reports the direction of a violation', () => {
        const headers = pick(signed());
        for (const [seconds, reason] of [
          [300, 'ok'],
          [300.001, 'timestamp_too_old'],
          [301, 'timestamp_too_old'],
          [-300, 'ok'],
          [-300.001, 'timestamp_too_new'],
        ] as const)
          expect(reasonOf(headers, { now: after(seconds) }), String(seconds)).to.equal(reason);
      });
      it('toleranceSeconds replaces the 300 s; 0 is none', () => {
        const headers = pick(signed());
        expect(reasonOf(headers, { now: after(600), toleranceSeconds: 600 })).to.equal('ok');
        expect(reasonOf(headers, { now: after(1), toleranceSeconds: 0 })).to.equal('timestamp_too_old');
      });
      it('an old request with another secret is no_match: a reason about time implies a valid signature', () => {
        expect(reasonOf(pick(signed(newSecret(), after(-301))))).to.equal('no_match');
      });
      it('missing_header: any of them', () => {
        for (const name of Object.keys(pick(signed())))
          expect(reasonOf(only(pick(signed()), (other) => other !== name)), name).to.equal('missing_header');
      });
      it('malformed_header: an impossible value, or two values', () => {
        for (const name of Object.keys(pick(signed()))) {
          expect(reasonOf({ ...pick(signed()), [name]: '' }), name).to.equal('malformed_header');
          if (name !== 'webhook-signature')
            expect(reasonOf({ ...pick(signed()), [name]: ['1', '2'] }), name).to.equal('malformed_header');
          if (name.toLowerCase().endsWith('timestamp'))
            for (const value of ['soon', '-1', '1e9', '1.5', 'NaN', 'Infinity', '9'.repeat(13), ' 1', '0x10'])
              expect(reasonOf({ ...pick(signed()), [name]: value }), value).to.equal('malformed_header');
        }
      });
      it('accepts either of several secrets', () => {
        expect(reasonOf(pick(signed()), { secrets: [newSecret(), SECRET] })).to.equal('ok');
        expect(reasonOf(pick(signed()), { secrets: [newSecret(), newSecret()] })).to.equal('no_match');
      });
    });

  it('during a rotation accepts the event with the new secret, the old one, or both', () => {
    const newest = newSecret();
    const headers = signed([newest, SECRET]);
    for (const secrets of [newest, SECRET, [newest, SECRET], [SECRET, newest]])
      expect(reasonOf(headers, { secrets })).to.equal('ok');
  });

  it('uses the headers of Standard Webhooks when both kinds are present', () => {
    const [good, bad] = [signed(), signed(newSecret())];
    const [specified, standard] = Object.values(KINDS);
    expect(reasonOf({ ...good, ...specified?.(bad) })).to.equal('ok');
    expect(reasonOf({ ...good, ...standard?.(bad) })).to.equal('no_match');
    expect(reasonOf({ ...good, 'webhook-signature': '' })).to.equal('malformed_header');
  });

  it('finds the right one among several signatures, and skips other versions', () => {
    const { 'webhook-signature': right } = signed();
    const among = `v1,${'A'.repeat(43)}= v1a,xyz v1, v2,${right.slice(3)} ${right}`;
    expect(reasonOf({ ...signed(), 'webhook-signature': among })).to.equal('ok');
    expect(reasonOf({ ...signed(), 'webhook-signature': [among.slice(0, 40), right] })).to.equal('ok');
    expect(reasonOf({ ...signed(), 'webhook-signature': right.replace('v1,', 'v2,') })).to.equal(
      'malformed_header',
    );
    expect(reasonOf({ ...signed(), 'webhook-signature': right.slice(0, -8) })).to.equal('no_match');
  });

  it('accepts headers in any case, as lists of one, and as Fetch Headers', () => {
    const headers = signed();
    const named = (change: (name: string) => string) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value]));
    expect(reasonOf(named((name) => name.toUpperCase()))).to.equal('ok');
    expect(reasonOf(named((name) => name.toLowerCase()))).to.equal('ok');
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    expect(reasonOf(lists)).to.equal('ok');
    expect(reasonOf(new Headers(headers))).to.equal('ok');
    expect(reasonOf(new Headers())).to.equal('missing_header');
    expect(reasonOf({ ...headers, get: 'a header of this name', other: undefined })).to.equal('ok');
  });

  it('accepts the body as Buffer, Uint8Array or string', () => {
    for (const rawBody of [BODY, new Uint8Array(BODY), BODY.toString()])
      expect(reasonOf(signed(), { rawBody })).to.equal('ok');
  });

  it('body_not_raw: a parsed body, with the reason why it cannot be verified', () => {
    for (const rawBody of [EVENT, null, undefined, 1, [...BODY]] as unknown as Buffer[]) {
      const result = verify(signed(), { rawBody });
      expect(result).to.include({ ok: false, reason: 'body_not_raw' });
      expect(result).to.have.property('message').that.includes('express.raw');
    }
  });

  it('body_not_json and body_not_event: well signed, but no event', () => {
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
      expect(reasonOf(signed(SECRET, NOW, rawBody), { rawBody }), text).to.equal(reason);
    }
    const rawBody = Buffer.from([0x22, 0xff, 0x22]);
    expect(reasonOf(signed(SECRET, NOW, rawBody), { rawBody })).to.equal('body_not_json');
  });

  it('accepts an event of an unknown type', () => {
    const rawBody = JSON.stringify({ ...EVENT, type: 'checkout.disputed' });
    expect(reasonOf(signed(SECRET, NOW, rawBody), { rawBody })).to.equal('ok');
  });

  it('accepts a request that the package standardwebhooks signed', () => {
    const signature = new Webhook(SECRET).sign('evt_1', NOW, BODY.toString());
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(NOW.getTime() / 1000),
      'webhook-signature': signature,
    };
    expect(reasonOf(headers)).to.equal('ok');
  });

  it('verifies and signs with the current time by default', () => {
    const headers = signWebhook({ eventId: 'evt_1', rawBody: BODY, secrets: SECRET });
    expect(verifyWebhook({ rawBody: BODY, headers, secrets: SECRET }).ok).to.equal(true);
    expect(verifyWebhook({ rawBody: BODY, headers: signed(), secrets: SECRET })).to.have.property(
      'ok',
      false,
    );
  });

  it('trims white space around a secret, such as the line feed at the end of a file', () => {
    for (const secrets of [`${SECRET}\n`, [` ${SECRET}`, `${newSecret()}\r\n`]])
      expect(reasonOf(signed(), { secrets })).to.equal('ok');
    expect(signed(`${SECRET}\n`)).to.deep.equal(signed());
  });

  it('webhookSecrets reads what is configured, or throws at the start', () => {
    const other = newSecret();
    expect(webhookSecrets(`${SECRET}, ${other}\n`)).to.deep.equal([SECRET, other]);
    expect(webhookSecrets(` ${SECRET},`)).to.deep.equal([SECRET]);
    for (const configured of [undefined, '', ' , ', 'hunter2', `${SECRET},whsec_`])
      expect(() => webhookSecrets(configured), configured)
        .to.throw(TypeError)
        .with.property('message')
        .that.does.not.match(/hunter2|[\w+/]{20}/);
  });

  it('throws TypeError for a programming error, and shows no secret', () => {
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
      expect(() => verify(signed(), { secrets }), JSON.stringify(secrets))
        .to.throw(TypeError)
        .with.property('message')
        .that.does.not.match(/hunter2|[\w+/]{20}/);
    for (const toleranceSeconds of [-1, Number.NaN])
      expect(() => verify(signed(), { toleranceSeconds })).to.throw(TypeError);
    expect(() => verify(signed(), { now: new Date('never') })).to.throw(TypeError);
  });
});
