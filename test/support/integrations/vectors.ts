import { createHmac } from 'node:crypto';
import { signWebhook } from '../../../src/sdk/index.ts';

/** A request that a receiver must accept, or refuse for the reason that is named. */
export interface Vector {
  readonly name: string;
  /** As an environment variable holds it: one secret, or several with commas. */
  readonly secrets: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text, sent in UTF-8; where it is none, `body_base64`. */
  readonly body?: string;
  readonly body_base64?: string;
  /** The receiver's clock, in seconds of Unix time. */
  readonly now: number;
  /** Absent: the default of 300 s. */
  readonly tolerance_seconds?: number;
  /** `accepted`, or the reason. */
  readonly expect: string;
}

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [SECRET, NEWEST, OTHER] = [secretOf(0x51), secretOf(0x62), secretOf(0x73)];
const SENT_SECONDS = 1_769_860_800;
const SENT = String(SENT_SECONDS);
const BODY = JSON.stringify({
  id: 'evt_1',
  type: 'checkout.settled',
  sequence: 4,
  metadata: { orderId: 'é 漢字 €' },
  added_later: [1.5, null, true],
});

type Headers = Record<string, string | readonly string[]>;
type Change = Partial<Omit<Vector, 'name' | 'expect' | 'headers'>> & { headers?: Headers };

const signed = (body: string | Uint8Array = BODY, ...secrets: readonly string[]): Headers =>
  signWebhook({
    eventId: 'evt_1',
    rawBody: body,
    secrets: secrets.length === 0 ? [SECRET] : secrets,
    now: new Date(SENT_SECONDS * 1000),
  });
const ALL = signed();
const HEX = String(ALL['X-Webhook-Signature']);
const BASE64 = String(ALL['webhook-signature']).slice('v1,'.length);
const only = (prefix: string, headers: Headers) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)));
/** The specification's two headers alone, and those of Standard Webhooks alone. */
const own = (headers: Headers = ALL) => only('X-', headers);
const standard = (headers: Headers = ALL) => only('webhook-', headers);
const without = (name: string, headers: Headers) =>
  Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));
const renamed = (change: (name: string) => string) =>
  Object.fromEntries(Object.entries(ALL).map(([name, value]) => [change(name), value]));
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

/** All vectors, the same in each run. */
export function webhookVectors(): readonly Vector[] {
  return [
    ...genuine(),
    ...rotation(),
    ...altered(),
    ...late(),
    ...malformed(),
    ...encodings(),
    ...several(),
    ...bodies(),
  ];
}

/** A request by the first secret, but for the change, that is received when it was sent. */
function vector(name: string, expect: string, { headers = ALL, ...change }: Change = {}): Vector {
  const body = change.body_base64 === undefined ? { body: BODY } : {};
  return { name, secrets: SECRET, headers, ...body, now: SENT_SECONDS, ...change, expect };
}

function genuine(): Vector[] {
  return [
    vector('all headers of a delivery', 'accepted'),
    vector('X-Webhook-Signature alone', 'accepted', { headers: own() }),
    vector('Standard Webhooks alone', 'accepted', { headers: standard() }),
    vector('names in lower case', 'accepted', { headers: renamed((name) => name.toLowerCase()) }),
    vector('names in upper case', 'accepted', { headers: renamed((name) => name.toUpperCase()) }),
    vector('each value in a list of one', 'accepted', {
      headers: Object.fromEntries(Object.entries(ALL).map(([name, value]) => [name, [String(value)]])),
    }),
    vector('a secret with a line feed behind it', 'accepted', { secrets: `${SECRET}\n` }),
    vector('another header', 'accepted', { headers: { ...ALL, 'X-Webhook-Test': 'true' } }),
  ];
}

function rotation(): Vector[] {
  const both = signed(BODY, NEWEST, SECRET);
  const cases: [string, string][] = [
    ['the newest secret alone', NEWEST],
    ['the old secret alone', SECRET],
    ['both secrets', `${NEWEST}, ${SECRET}`],
    ['both secrets, the old one first, and a comma at the end', `${SECRET},${NEWEST},`],
  ];
  return [
    ...cases.map(([name, secrets]) => vector(`a rotation: ${name}`, 'accepted', { headers: both, secrets })),
    vector('a rotation: X-Webhook-Signature is signed with the newest', 'accepted', {
      headers: own(both),
      secrets: NEWEST,
    }),
    vector('a rotation: X-Webhook-Signature is not signed with the old one', 'no_match', {
      headers: own(both),
    }),
  ];
}

function altered(): Vector[] {
  return [own(), standard()].flatMap((headers, index) => {
    const kind = index === 0 ? 'X-Webhook-Signature' : 'Standard Webhooks';
    const timestamp = index === 0 ? 'X-Webhook-Timestamp' : 'webhook-timestamp';
    const forged = index === 0 ? own(signed(BODY, OTHER)) : standard(signed(BODY, OTHER));
    return [
      vector(`${kind}: another amount`, 'no_match', { headers, body: BODY.replace('1.5', '1.6') }),
      vector(`${kind}: a space behind the body`, 'no_match', { headers, body: `${BODY} ` }),
      vector(`${kind}: the body written again`, 'no_match', {
        headers,
        body: JSON.stringify(JSON.parse(BODY), null, 1),
      }),
      vector(`${kind}: no body`, 'no_match', { headers, body: '' }),
      vector(`${kind}: another secret`, 'no_match', { headers: forged }),
      vector(`${kind}: a timestamp that was not signed`, 'no_match', {
        headers: { ...headers, [timestamp]: String(SENT_SECONDS + 1) },
        now: SENT_SECONDS + 1,
      }),
      vector(`${kind}: another secret, and too old, which only what is signed can be`, 'no_match', {
        headers: forged,
        now: SENT_SECONDS + 301,
      }),
    ];
  });
}

function late(): Vector[] {
  return [own(), standard()].flatMap((headers, index) => {
    const kind = index === 0 ? 'X-Webhook-Signature' : 'Standard Webhooks';
    const at = (name: string, seconds: number, expect: string, change: Change = {}) =>
      vector(`${kind}: ${name}`, expect, { headers, now: SENT_SECONDS + seconds, ...change });
    return [
      at('300 s old', 300, 'accepted'),
      at('301 s old', 301, 'timestamp_too_old'),
      at('300 s ahead', -300, 'accepted'),
      at('301 s ahead', -301, 'timestamp_too_new'),
      at('600 s old, where that is allowed', 600, 'accepted', { tolerance_seconds: 600 }),
      at('1 s old, where nothing is allowed', 1, 'timestamp_too_old', { tolerance_seconds: 0 }),
    ];
  });
}

/** No numbers of whole seconds; one has the digits of another alphabet. */
const NO_TIMES = ['', 'soon', '-1', '1e9', `${SENT}.5`, ` ${SENT}`, `${SENT}000`, '١٧٦٩٨٦٠٨٠٠', '0x697df080'];

function malformed(): Vector[] {
  const names = Object.keys({ ...own(), ...standard() });
  const kindOf = (name: string) => (name.startsWith('X-') ? own() : standard());
  const single = names.filter((name) => name !== 'webhook-signature');
  return [
    vector('no header', 'missing_header', { headers: {} }),
    ...names.map((name) =>
      vector(`without ${name}`, 'missing_header', { headers: without(name, kindOf(name)) }),
    ),
    ...names.map((name) =>
      vector(`an empty ${name}`, 'malformed_header', { headers: { ...kindOf(name), [name]: '' } }),
    ),
    ...single.map((name) => {
      const value = String(ALL[name]);
      return vector(`two of ${name}`, 'malformed_header', {
        headers: { ...kindOf(name), [name]: [value, value] },
      });
    }),
    ...single.map((name) => {
      const value = String(ALL[name]);
      return vector(`two of ${name}, joined by a server`, 'malformed_header', {
        headers: { ...kindOf(name), [name]: `${value}, ${value}` },
      });
    }),
    ...['X-Webhook-Timestamp', 'webhook-timestamp'].flatMap((name) =>
      NO_TIMES.slice(1).map((value) =>
        vector(`${name}: ${value}`, 'malformed_header', { headers: { ...kindOf(name), [name]: value } }),
      ),
    ),
  ];
}

/** What is signed well, and written in another way. */
function encodings(): Vector[] {
  const standardWith = (signature: string) => ({ ...standard(), 'webhook-signature': signature });
  const ownWith = (signature: string) => ({ ...own(), 'X-Webhook-Signature': signature });
  const url = BASE64.replaceAll('+', '-').replaceAll('/', '_');
  if (url === BASE64 || HEX === HEX.toUpperCase()) throw new Error('the signatures show no difference');
  const bytes = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const claim = `evt_1.${SENT}.${BODY}`;
  return [
    vector('X-Webhook-Signature in capital digits', 'accepted', { headers: ownWith(HEX.toUpperCase()) }),
    vector('X-Webhook-Signature in base64', 'malformed_header', { headers: ownWith(BASE64) }),
    vector('X-Webhook-Signature with 0x', 'malformed_header', { headers: ownWith(`0x${HEX}`) }),
    vector('X-Webhook-Signature cut off', 'malformed_header', { headers: ownWith(HEX.slice(0, -1)) }),
    vector('X-Webhook-Signature with a version', 'malformed_header', { headers: ownWith(`v1=${HEX}`) }),
    vector('X-Webhook-Signature keyed with the decoded secret', 'no_match', {
      headers: ownWith(hmac(bytes, `${SENT}.${BODY}`).digest('hex')),
    }),
    vector('X-Webhook-Signature over the body alone', 'no_match', {
      headers: ownWith(hmac(SECRET, BODY).digest('hex')),
    }),
    vector('webhook-signature in hex', 'no_match', { headers: standardWith(`v1,${HEX}`) }),
    vector('webhook-signature in base64url', 'no_match', { headers: standardWith(`v1,${url}`) }),
    vector('webhook-signature without padding', 'no_match', {
      headers: standardWith(`v1,${BASE64.replace('=', '')}`),
    }),
    vector('webhook-signature cut off', 'no_match', { headers: standardWith(`v1,${BASE64.slice(0, -8)}`) }),
    vector('webhook-signature without a version', 'malformed_header', { headers: standardWith(BASE64) }),
    vector('webhook-signature keyed with the text of the secret', 'no_match', {
      headers: standardWith(`v1,${hmac(SECRET, claim).digest('base64')}`),
    }),
    vector('webhook-signature of another id', 'no_match', {
      headers: { ...standard(), 'webhook-id': 'evt_2' },
    }),
  ];
}

function several(): Vector[] {
  const right = `v1,${BASE64}`;
  const others = (count: number) => 'v1,AAAA '.repeat(count);
  const having = (value: string | readonly string[]) => ({
    headers: { ...standard(), 'webhook-signature': value },
  });
  const forged = signed(BODY, OTHER);
  return [
    vector('the right signature among others', 'accepted', having(`v1a,xyz v1, v2,${BASE64} ${right}`)),
    vector('the right signature in a second header', 'accepted', having(['v1,AAAA', right])),
    vector('the 20th signature', 'accepted', having(others(19) + right)),
    vector('the 21st signature, which nobody reads', 'no_match', having(others(20) + right)),
    vector('signatures of another version alone', 'malformed_header', having(`v2,${BASE64}`)),
    vector('a signature of a key pair alone', 'no_match', having('v1a,AAAA')),
    vector('both kinds, of which X-Webhook-Signature is forged', 'accepted', {
      headers: { ...ALL, ...own(forged) },
    }),
    vector('both kinds, of which Standard Webhooks is forged', 'no_match', {
      headers: { ...ALL, ...standard(forged) },
    }),
  ];
}

/** Well signed, and no event; the last three are events. */
function bodies(): Vector[] {
  const of = (name: string, expect: string, body: string | Buffer) =>
    vector(name, expect, {
      headers: signed(body),
      ...(typeof body === 'string' ? { body } : { body_base64: body.toString('base64') }),
    });
  return [
    of('an empty body', 'body_not_json', ''),
    of('half a body', 'body_not_json', '{"id":'),
    of('a number that JSON has not', 'body_not_json', '{"id":"evt_1","type":"checkout.settled","a":NaN}'),
    of('a body that is not UTF-8', 'body_not_json', Buffer.from([0x22, 0xff, 0x22])),
    of('a byte order mark', 'body_not_json', `\u{feff}${BODY}`),
    of('null', 'body_not_event', 'null'),
    of('a number', 'body_not_event', '7'),
    of('a list', 'body_not_event', '[]'),
    of('an id that is no text', 'body_not_event', '{"id":1,"type":"checkout.settled"}'),
    of('no type', 'body_not_event', '{"id":"evt_1"}'),
    of('a type that is added later', 'accepted', '{"id":"evt_1","type":"checkout.disputed"}'),
    of('white space and escapes', 'accepted', ' {\n"id": "evt_1", "type": "checkout.settled\\u0000"}\r\n'),
    of('a thin event', 'accepted', '{"id":"evt_1","type":"checkout.settled","link":"https://pay.example"}'),
  ];
}

/** Values of WEBHOOK_SECRET: the secrets that each holds; null: a receiver must not start with it. */
export function secretVectors(): readonly { configured: string; secrets: readonly string[] | null }[] {
  const short = `whsec_${Buffer.alloc(16, 7).toString('base64')}`;
  const refused = [
    '',
    ' , ',
    'hunter2',
    'whsec_',
    short,
    SECRET.slice('whsec_'.length),
    SECRET.slice(0, -1),
    SECRET.slice(0, -3),
    `${SECRET}A`,
    `${SECRET} ${NEWEST}`,
    `${SECRET},whsec_`,
    `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}=`,
    `WHSEC_${SECRET.slice('whsec_'.length)}`,
    `whsk_${SECRET.slice('whsec_'.length)}`,
  ];
  return [
    { configured: SECRET, secrets: [SECRET] },
    { configured: ` ${SECRET}\r\n`, secrets: [SECRET] },
    { configured: `${NEWEST}, ${SECRET},`, secrets: [NEWEST, SECRET] },
    ...refused.map((configured) => ({ configured, secrets: null })),
  ];
}

/** What integrations/vectors.json holds. */
export function vectorFile(): object {
  return {
    about: 'Written by `npm run integrations`; integrations/README.md describes it.',
    secrets: secretVectors(),
    requests: webhookVectors(),
  };
}
