import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { signWebhook } from '../../src/sdk/sign.ts';

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const NOW = new Date('2026-01-31T12:00:00.999Z');
const BODY = Buffer.from('{"type":"checkout.settled","text":"né €"}');

describe('signing an event', () => {
  it('sends the five headers, both timestamps in whole unix seconds of the instant of sending', () => {
    const headers = signWebhook({ eventId: 'evt_1', rawBody: BODY, secrets: [SECRET], now: NOW });
    expect(Object.keys(headers)).to.have.members([
      'X-Webhook-Signature',
      'X-Webhook-Timestamp',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    expect(headers['X-Webhook-Timestamp']).to.equal('1769860800');
    expect(headers['webhook-timestamp']).to.equal('1769860800');
    expect(headers['webhook-id']).to.equal('evt_1');
  });

  it("signs X-Webhook-Signature as specified: hex HMAC-SHA256 over 'timestamp.body' with the whole secret string", () => {
    const headers = signWebhook({ eventId: 'evt_1', rawBody: BODY, secrets: [SECRET], now: NOW });
    const signed = Buffer.concat([Buffer.from('1769860800.'), BODY]);
    expect(headers['X-Webhook-Signature']).to.equal(hmacSha256(Buffer.from(SECRET), signed).toString('hex'));
  });

  it('returns the signatures that OpenSSL computes', () => {
    const headers = signWebhook({ eventId: 'evt_1', rawBody: '{"a":1}', secrets: [SECRET], now: NOW });
    expect(headers['X-Webhook-Signature']).to.equal(
      '4a8d81326a8060f12386bc6b1e96981c3ff6eb7167773200a5a9782e1f2486c6',
    );
    expect(headers['webhook-signature']).to.equal('v1,gkLCsDnbH56ZIA5z1bCvVZ+jRNTv2LTI824bJOmJjSE=');
  });

  it('verifies with the package standardwebhooks, which rejects another body, id, secret or time', () => {
    const now = new Date();
    const headers = signWebhook({ eventId: 'evt_1', rawBody: BODY, secrets: [SECRET], now });
    expect(new Webhook(SECRET).verify(BODY, headers)).to.have.property('type', 'checkout.settled');
    const verify = (secret: string, body: string | Buffer, changed: Record<string, string>) => () =>
      new Webhook(secret).verify(body, { ...headers, ...changed });
    expect(verify(SECRET, `${BODY.toString()} `, {})).to.throw(WebhookVerificationError);
    expect(verify(SECRET, BODY, { 'webhook-id': 'evt_2' })).to.throw(WebhookVerificationError);
    expect(verify(`whsec_${randomBytes(32).toString('base64')}`, BODY, {})).to.throw(
      WebhookVerificationError,
    );
    const later = String(Math.floor(now.getTime() / 1000) + 1);
    expect(verify(SECRET, BODY, { 'webhook-timestamp': later })).to.throw(WebhookVerificationError);
  });

  it('after a rotation verifies with either secret, and signs X-Webhook-Signature with the newest', () => {
    const newest = `whsec_${randomBytes(32).toString('base64')}`;
    const now = new Date();
    const headers = signWebhook({ eventId: 'evt_1', rawBody: BODY, secrets: [newest, SECRET], now });
    expect(headers['webhook-signature'].split(' ')).to.have.length(2);
    for (const secret of [newest, SECRET])
      expect(() => new Webhook(secret).verify(BODY, headers)).not.to.throw();
    const alone = signWebhook({ eventId: 'evt_1', rawBody: BODY, secrets: [newest], now });
    expect(headers['X-Webhook-Signature']).to.equal(alone['X-Webhook-Signature']);
  });

  it('signs bytes and text alike, and every byte unchanged', () => {
    const sign = (body: Buffer | string) =>
      signWebhook({ eventId: 'evt_1', rawBody: body, secrets: [SECRET], now: NOW });
    expect(sign(BODY)).to.deep.equal(sign(BODY.toString('utf8')));
    expect(sign(Buffer.from([0xff]))).not.to.deep.equal(sign(Buffer.from([0xfe])));
  });

  it('refuses to sign without a secret or with a malformed one, without showing it', () => {
    const sign = (secrets: string[]) => () =>
      signWebhook({ eventId: 'evt_1', rawBody: BODY, secrets, now: NOW });
    expect(sign([])).to.throw('without a secret');
    expect(sign(['hunter2']))
      .to.throw(/whsec_/)
      .and.not.match(/hunter2/);
  });

  it('throws TypeError that names the argument and the remedy, for one of a wrong type', () => {
    const good = { eventId: 'evt_1', rawBody: BODY, secrets: [SECRET], now: NOW };
    for (const [wrong, message] of [
      [{ now: Date.now() }, /^now must be a Date, not a number: .*new Date\(milliseconds\)$/],
      [{ eventId: 7 }, /^eventId must be the id of the event, evt_\.\.\., not a number$/],
      [{ rawBody: { id: 'evt_1' } }, /^rawBody must be the bytes or the text that is sent, not an object$/],
      [{ secrets: 12345 }, /^secrets must be a string or an array of strings, whsec_\.\.\., not a number$/],
      [{ signingKeys: [7] }, /^signingKeys must be .*whsk_\.\.\., not a number$/],
    ] as const)
      expect(() => signWebhook({ ...good, ...wrong } as never), JSON.stringify(wrong)).to.throw(
        TypeError,
        message,
      );
    expect(() => signWebhook(null as never)).to.throw(TypeError, /^signWebhook takes one object, not null/);
  });
});

/** HMAC by its definition (RFC 2104), independent of the code under test. */
function hmacSha256(key: Buffer, message: Buffer): Buffer {
  const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const block = Buffer.alloc(64);
  (key.length > 64 ? sha256(key) : key).copy(block);
  const pad = (byte: number) => block.map((value) => value ^ byte) as Buffer;
  return sha256(pad(0x5c), sha256(pad(0x36), message));
}
