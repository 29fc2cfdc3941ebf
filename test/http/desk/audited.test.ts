import { expect } from 'chai';
import { addApiKey } from '../../../src/domain/merchants/api-keys.ts';
import { createSignInLink } from '../../../src/domain/people/factors/links.ts';
import { firstAddresses } from '../../../src/domain/wallets/first-addresses.ts';
import { deskRoutes } from '../../../src/http/desk/routes.ts';
import { EN } from '../../../src/http/desk/shell/texts.ts';
import { CHANGES } from '../../../src/processes/setup/report-command.ts';
import { configure } from '../../support/deliveries.ts';
import {
  hiddenField,
  invitePath,
  joinDesk,
  openBrowser,
  PASSWORD,
  type DeskPerson,
} from '../../support/desk.ts';
import { read } from '../../support/documents.ts';
import { SANDBOX } from '../../support/endpoints.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment, pay } from '../../support/http.ts';
import { logo } from '../../support/images.ts';
import { createLink } from '../../support/links.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';
import { addPasskey, Authenticator, optionsOf, signInBy } from '../../support/passkeys.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';
import { refundRow } from '../../support/refunds.ts';
import { makeTill, pairingOf } from '../../support/tills.ts';
import { addWallet, TREASURY } from '../../support/wallets.ts';

const ORIGIN = 'http://localhost:3000';
const ACCOUNT = '/dashboard/account';

/** What a form needs, made for each anew. */
interface Scene {
  readonly harness: Harness;
  readonly mail: MailServer;
  readonly receiver: Receiver;
  readonly owner: DeskPerson;
  /** A path of the merchant. */
  readonly at: (rest: string) => string;
}

type Form = readonly [command: string, send: (scene: Scene) => Promise<unknown>];

let made = 0;
const join = ({ harness }: Scene) => joinDesk(harness, `other-${(made += 1)}@shop.example`);
const newest = async ({ harness }: Scene, table: string): Promise<string> => {
  const row = await harness.ctx.db(table).orderBy('id', 'desc').first<{ id: string }>('id');
  return row?.id ?? '';
};
const signIn = async (scene: Scene) => {
  scene.harness.advance(30);
  const browser = openBrowser(scene.harness);
  await browser.post('/dashboard/sign-in', { email: scene.owner.email, password: PASSWORD });
  return browser;
};
const keyOf = async ({ harness: { ctx, merchant } }: Scene) =>
  (await addApiKey(ctx.config, ctx.db, merchant.id, [], ctx.now())).slice(0, 13);
const endpointOf = async ({ owner, receiver, at }: Scene): Promise<string> => {
  const url = `${receiver.url}/${(made += 1)}`;
  const { location = '' } = await owner.post(at('/developers/endpoints/new'), { url, payload: 'full' });
  return location.split('?')[0] ?? '';
};
/** Posts to an endpoint that was added before. */
const toEndpoint =
  (rest: string, fields: Record<string, string> = {}) =>
  async (scene: Scene) => {
    const endpoint = await endpointOf(scene);
    await scene.owner.post(`${endpoint}${rest}`, fields);
  };
const tillOf = async ({ harness, at }: Scene) => {
  const till = await makeTill(harness);
  return { till, path: at(`/tills/${till.id}`) };
};
const toTill = (rest: string, fields: Record<string, string>) => async (scene: Scene) =>
  scene.owner.post(`${(await tillOf(scene)).path}${rest}`, fields);
const paymentOf = async ({ harness, at }: Scene) => {
  const { id } = await createPayment(harness);
  return { id, path: at(`/payments/${id}`) };
};
const passkeyOf = async (scene: Scene) => {
  const authenticator = new Authenticator(ORIGIN);
  await addPasskey(scene.owner, authenticator);
  return authenticator;
};
/** Posts to the wallets of a live shop, or to the one that is there. */
const toWallet =
  (rest: string | null, fields: (scene: Scene, id: string) => Promise<Record<string, string>>) =>
  async (scene: Scene) => {
    const { ctx } = scene.harness;
    const live = await scene.harness.addMerchant({ mode: 'live' });
    const email = `live-${(made += 1)}@shop.example`;
    const owner = await joinDesk(scene.harness, email, { merchantId: live.id });
    const { id } = await addWallet(ctx, live.id);
    const one = rest === null ? '' : `/${id}${rest}`;
    await owner.post(`/dashboard/${live.id}/settings/wallets${one}`, await fields(scene, id));
  };
const toMerchant =
  (path: string, fields: Record<string, string> = {}) =>
  ({ owner, at }: Scene) =>
    owner.post(at(path), fields);

/** Every form that changes something, with what the audit log says of it, by the name of its route. */
const WRITTEN: Readonly<Record<string, Form>> = {
  'second factor': [
    'signed in',
    async (scene) => (await signIn(scene)).post('/dashboard/second-factor', { code: scene.owner.code() }),
  ],
  'set-up': ['second factor set up', join],
  invitation: ['invitation accepted', join],
  'sign-out': ['signed out', ({ owner }) => owner.post('/dashboard/sign-out')],
  link: [
    'signed in by a link',
    async ({ harness, owner }) =>
      openBrowser(harness).post(new URL(await createSignInLink(harness.ctx, owner.id)).pathname),
  ],
  'password link': [
    'password set by a mailed link',
    async ({ harness, owner, mail }) => {
      const browser = openBrowser(harness);
      await browser.post('/dashboard/forgotten', { email: owner.email });
      await harness.work();
      const mailed = mail.mails.map(({ source }) => source.replaceAll('=\r\n', '')).join('');
      const path = [...mailed.matchAll(/\/dashboard\/passwords\/[\w-]{32}/g)].at(-1)?.[0] ?? '';
      await browser.post(path, { password: 'four red boats on the lake' });
    },
  ],
  passkey: [
    'signed in with a passkey',
    async (scene) => signInBy(openBrowser(scene.harness), await passkeyOf(scene)),
  ],
  'second factor by a passkey': [
    'signed in with a password and a passkey',
    async (scene) => {
      const authenticator = await passkeyOf(scene);
      const browser = await signIn(scene);
      const fields = authenticator.get(optionsOf(await browser.get('/dashboard/second-factor')));
      await browser.post('/dashboard/second-factor/passkey', fields);
    },
  ],
  'set-up of a passkey': [
    'passkey added',
    async ({ harness }) => {
      const browser = openBrowser(harness);
      const path = await invitePath(harness, `guest-${(made += 1)}@shop.example`);
      await browser.post(path, { password: PASSWORD });
      const options = optionsOf(await browser.get('/dashboard/set-up'));
      await browser.post('/dashboard/set-up/passkey', new Authenticator(ORIGIN).create(options));
    },
  ],
  'invitation by a passkey': [
    'invitation accepted',
    async ({ harness }) => {
      const browser = openBrowser(harness);
      const path = await invitePath(harness, `guest-${(made += 1)}@shop.example`);
      const options = optionsOf(await browser.get(path));
      await browser.post(`${path}/passkey`, new Authenticator(ORIGIN).create(options));
    },
  ],
  password: [
    'password changed',
    ({ owner }) => owner.post(`${ACCOUNT}/password`, { present: PASSWORD, next: 'four red boats at sea' }),
  ],
  'end session': [
    'session ended',
    async (scene) => {
      const browser = await signIn(scene);
      await browser.post('/dashboard/second-factor', { code: scene.owner.code() });
      await scene.owner.post(`${ACCOUNT}/sessions/${await newest(scene, 'person_sessions')}/end`);
    },
  ],
  'add passkey': ['passkey added', passkeyOf],
  'remove passkey': [
    'passkey removed',
    async (scene) => {
      await passkeyOf(scene);
      const { id } = (await scene.harness.ctx
        .db('passkeys')
        .where({ person_id: scene.owner.id })
        .first<{ id: string }>('id')) ?? { id: '' };
      await scene.owner.post(`${ACCOUNT}/passkeys/${id}/remove`);
    },
  ],
  'time zone': ['time zone changed', toMerchant('/settings/time-zone', { time_zone: 'Asia/Tokyo' })],
  'cancel payment': [
    'payment cancelled',
    async (scene) => scene.owner.post(`${(await paymentOf(scene)).path}/cancel`),
  ],
  refund: [
    'refund accepted',
    async (scene) => {
      const { id, path } = await paymentOf(scene);
      await pay(scene.harness, id);
      const asked = { amount: '4.25', reason: '', to: 'address', address: TREASURY };
      const { text } = await scene.owner.post(`${path}/refund/preview`, asked);
      const kept = ['amount', 'reason', 'to', 'address', 'mark', 'form'] as const;
      const form = Object.fromEntries(kept.map((name) => [name, hiddenField(text, name)]));
      await scene.owner.post(`${path}/refund`, form);
    },
  ],
  'announce refund': [
    'refund announced',
    async (scene) => {
      const { id, path } = await paymentOf(scene);
      const row = refundRow(id, scene.harness.ctx.now(), { status: 'AWAITING_SIGNATURE' });
      await scene.harness.ctx.db('refunds').insert(row);
      const announced = { tx_hash: `0x${'a'.repeat(64)}` };
      await scene.owner.post(`${path}/refunds/${row.id}/announce`, announced);
    },
  ],
  'ask wallet': [
    'wallet asked for refund',
    async (scene) => {
      const { id, path } = await paymentOf(scene);
      const row = refundRow(id, scene.harness.ctx.now(), { status: 'AWAITING_SIGNATURE' });
      await scene.harness.ctx.db('refunds').insert(row);
      await scene.owner.post(`${path}/refunds/${row.id}/wallet`);
    },
  ],
  'make till': ['till made', toMerchant('/tills', { name: 'Counter', currency: 'EUR', pin: '274953' })],
  'pair till': ['till device invited', toTill('/devices', { device: 'Tablet' })],
  'set till PIN': ['till PIN changed', toTill('/pin', { pin: '738192' })],
  'end till': ['till ended', toTill('/end', {})],
  'end till device': [
    'till device revoked',
    async (scene) => {
      const { till, path } = await tillOf(scene);
      await pairingOf(scene.harness, till);
      const { id } = (await scene.harness.ctx
        .db('till_devices')
        .where({ till_id: till.id })
        .first<{ id: string }>('id')) ?? { id: '' };
      await scene.owner.post(`${path}/devices/${id}/end`);
    },
  ],
  'create key': ['API key created', toMerchant('/developers/keys/new', { 'payments:read': 'on', days: '' })],
  'revoke key': [
    'API key revoked',
    async (scene) => scene.owner.post(scene.at(`/developers/keys/${await keyOf(scene)}/revoke`)),
  ],
  'set addresses of key': [
    'API key addresses changed',
    async (scene) =>
      scene.owner.post(scene.at(`/developers/keys/${await keyOf(scene)}/addresses`), { addresses: '::1' }),
  ],
  'add endpoint': ['webhook endpoint registered', endpointOf],
  'set endpoint': ['webhook endpoint', toEndpoint('', { url: 'https://receiver.example/', payload: 'thin' })],
  'pause endpoint': ['webhook endpoint', toEndpoint('/pause')],
  'resume endpoint': ['webhook endpoint', toEndpoint('/resume')],
  'delete endpoint': ['webhook endpoint deleted', toEndpoint('/delete')],
  'switch endpoint on': ['webhook endpoint enabled', toEndpoint('/switch-on')],
  'rotate webhook secret': ['webhook secret rotated', toEndpoint('/secret', { overlap: '24' })],
  redeliver: [
    'webhook redelivered',
    async (scene) => {
      await configure(scene.harness, scene.receiver.url);
      await createPayment(scene.harness);
      await scene.harness.work();
      // Not one of the same moment to an endpoint of another case, which is paused or leads nowhere.
      const sent = scene.harness.ctx.db('deliveries').where({ status: 'delivered' });
      const { id } = (await sent.orderBy('id', 'desc').first<{ id: string }>('id')) ?? { id: '' };
      await scene.owner.post(scene.at(`/developers/deliveries/${id}/redeliver`));
    },
  ],
  'replay range': [
    'webhooks replayed',
    async (scene) => {
      await configure(scene.harness, scene.receiver.url);
      await scene.owner.post(scene.at('/developers/replay'), { from_date: '2026-01-31' });
    },
  ],
  'check receiver': [
    'receiver checked',
    async (scene) => {
      await configure(scene.harness, scene.receiver.url);
      await scene.owner.post(scene.at('/developers/check'), { endpoint: 'default' });
    },
  ],
  'run story': ['story run', toMerchant('/developers/stories', { story: 'paid' })],
  invite: ['person invited', toMerchant('/people/invite', { email: 'new@shop.example', role: 'support' })],
  'change role': [
    'role changed',
    async (scene) => {
      const { id } = await join(scene);
      await scene.owner.post(scene.at(`/people/${id}/role`), { role: 'support' });
    },
  ],
  'remove person': [
    'person removed',
    async (scene) => scene.owner.post(scene.at(`/people/${(await join(scene)).id}/remove`)),
  ],
  'withdraw invitation': [
    'invitation withdrawn',
    async (scene) => {
      await invitePath(scene.harness, `guest-${(made += 1)}@shop.example`);
      const id = await newest(scene, 'invitations');
      await scene.owner.post(scene.at(`/people/invitations/${id}/withdraw`));
    },
  ],
  'export audit log': ['export', toMerchant('/audit/export', { format: 'csv' })],
  export: ['export', toMerchant('/exports', { kind: 'payments', format: 'csv', currency: 'USD' })],
  'create payment link': ['payment link created', toMerchant('/links', { title: 'Tea', prices: '4.50' })],
  'change payment link': [
    'payment link changed',
    async (scene) => {
      const { id } = await createLink(scene.harness);
      await scene.owner.post(scene.at(`/links/${id}`), { title: 'Cake', prices: '4.50' });
    },
  ],
  'archive payment link': [
    'payment link archived',
    async (scene) => scene.owner.post(scene.at(`/links/${(await createLink(scene.harness)).id}/archive`)),
  ],
  'offer methods': ['checkout appearance', toMerchant('/settings/methods', { 'USDC/ethereum': 'on' })],
  'accept methods': [
    'checkout appearance',
    toMerchant('/settings/methods/accept', { 'USDC/ethereum': 'on' }),
  ],
  'set policy': [
    'policy changed',
    toMerchant('/settings/policy', { underpaid: 'wait', tolerance: '', late: 'honour', overpaid: 'keep' }),
  ],
  'set appearance': ['checkout appearance', toMerchant('/settings/appearance', { name: 'Tea' })],
  'set logo': [
    'checkout logo',
    async ({ owner, at }) => owner.upload(at('/settings/appearance/logo'), 'logo', await logo()),
  ],
  'remove logo': ['checkout logo', toMerchant('/settings/appearance/logo/remove')],
  'set mail text': [
    'mail text changed',
    toMerchant('/settings/mails/paid/en', { subject: 'Thanks', text: '' }),
  ],
  'reset mail text': ['mail text changed', toMerchant('/settings/mails/paid/en/reset')],
  'send test mail': ['test mail sent', toMerchant('/settings/mails/paid/en/test')],
  'add wallet': [
    'wallet set',
    toWallet(null, async () => ({ kind: 'forwarder', network: 'ethereum', value: TREASURY })),
  ],
  'confirm wallet': [
    'wallet confirmed',
    toWallet('/confirm', async ({ harness }, id) => {
      const wallet = await harness.ctx.db('wallets').where({ id }).first();
      return { address: firstAddresses(harness.ctx, wallet)[0]?.address ?? '' };
    }),
  ],
  'retire wallet': ['wallet retired', toWallet('/retire', async () => ({}))],
};

/** What writes no entry, and why. */
const UNWRITTEN: Readonly<Record<string, string>> = {
  'sign-in': 'a password alone signs nobody in: the second factor does',
  forgotten: 'anybody asks for a mail, of any address; its link is written down when it is used',
  'refund preview': 'it changes nothing',
  'simulate customer': 'what a customer does is no act of the shop, and the money is none',
  'keep view': 'filters of a person, which change nothing of the shop',
  'rename view': 'as above',
  'delete view': 'as above',
};

/** What needs more than a page: the test that reads its entry. */
const ELSEWHERE = { 'decide sale': ['test/http/desk/sales.test.ts', "command: 'sale decided'"] } as const;

const DEPENDENCIES = { mailer: null, adapters: SANDBOX.adapters, sandbox: SANDBOX };
const POSTS = deskRoutes({ production: false }, DEPENDENCIES).filter(({ method }) => method === 'post');

describe('every form of the desk', () => {
  let scene: Scene;
  before(async () => {
    const mail = await startMailServer();
    const env = { SMTP_URL: mail.url, MAIL_FROM: 'desk@service.example', SIMULATOR_BLOCK_SECONDS: '1' };
    const harness = await createHarness(env);
    const receiver = await startReceiver();
    const at = (rest: string) => `/dashboard/${harness.merchant.id}${rest}`;
    scene = { harness, mail, receiver, at, owner: await joinDesk(harness, 'first@shop.example') };
  });
  after(async () => {
    await scene.harness.close();
    await scene.receiver.close();
    await scene.mail.close();
  });

  it('is in the audit log, or has a reason not to be: a list that the routes make', () => {
    const listed = [WRITTEN, UNWRITTEN, ELSEWHERE].flatMap(Object.keys);
    expect(listed).to.have.members(POSTS.map(({ name }) => name));
  });

  for (const [name, [path, text]] of Object.entries(ELSEWHERE))
    it(`is held by another test: ${name}`, () => {
      expect(read(path)).to.include(text);
    });

  for (const [name, [command, send]] of Object.entries(WRITTEN))
    it(`is written down with who sent it: ${name}`, async () => {
      const { db } = scene.harness.ctx;
      // Ids of one moment have no order: what this form is about is the newest.
      scene.harness.advance(1);
      const owner = await joinDesk(scene.harness, `owner-${(made += 1)}@shop.example`);
      const last = (await db('operator_actions').max<{ max: string }[]>('id'))[0]?.max ?? '0';
      await send({ ...scene, owner });
      const written = await db('operator_actions').where('id', '>', last).select('command', 'kind');
      expect(written).to.deep.include({ command, kind: 'person' });
      for (const entry of written) expect(EN.commands).to.have.property(entry.command);
    });

  it('and every command of operators has words for the owners who read it there', () => {
    expect(EN.commands).to.include.keys(Object.keys(CHANGES).map((name) => `merchants ${name}`));
  });
});
