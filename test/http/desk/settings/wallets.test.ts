import { expect } from 'chai';
import { setEmail } from '../../../../src/domain/merchants/store.ts';
import { MOST_WALLETS } from '../../../../src/domain/wallets/by-owner.ts';
import { firstAddresses } from '../../../../src/domain/wallets/first-addresses.ts';
import type { Wallet } from '../../../../src/domain/chain/wallets/store.ts';
import { confirmWallet } from '../../../../src/domain/wallets/set.ts';
import { newId } from '../../../../src/platform/values/ids.ts';
import { joinDesk, type DeskPerson } from '../../../support/desk.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { waitingFor } from '../../../support/locks.ts';
import { startMailServer, type MailServer } from '../../../support/mail-server.ts';
import { accountKey, BIP84, bitcoinKey, MNEMONIC, TREASURY, useWallet } from '../../../support/wallets.ts';

const DAY_SECONDS = 86_400;

describe('the wallets of a merchant at the desk', () => {
  let harness: Harness;
  let mail: MailServer;
  let live: { id: string };
  let owner: DeskPerson;
  beforeEach(async () => {
    mail = await startMailServer();
    harness = await createHarness({ SMTP_URL: mail.url });
    live = await harness.addMerchant({ mode: 'live' });
    owner = await joinDesk(harness, 'owner@shop.example', { merchantId: live.id });
  });
  afterEach(async () => {
    await harness.close();
    await mail.close();
  });

  const path = () => `/dashboard/${live.id}/settings/wallets`;
  const add = async (fields: Record<string, string>) => {
    const { location = '', status, text } = await owner.post(path(), { network: '', ...fields });
    return { status, text, id: location.split('/').at(-1) ?? '' };
  };
  const rowOf = (id: string) => harness.ctx.db<Wallet>('wallets').where({ id }).first();
  const addressOf = async (id: string, index = 0) => {
    const wallet = await rowOf(id);
    return wallet === undefined ? '' : (firstAddresses(harness.ctx, wallet)[index]?.address ?? '');
  };
  const confirm = (id: string, address: string) => owner.post(`${path()}/${id}/confirm`, { address });
  const entries = async () =>
    (await harness.ctx
      .db('operator_actions')
      .where({ merchant_id: live.id, kind: 'person' })
      .whereLike('command', 'wallet%')
      .orderBy('id')
      .select('command', 'actor', 'details')) as Record<string, unknown>[];
  /** The owner's session is asked for a second factor again after ten minutes. */
  const prove = () => owner.post('/dashboard/second-factor', { code: owner.code() });

  it('show five addresses, and the first is used once its owner has named one of them', async () => {
    const { id } = await add({ kind: 'xpub', value: accountKey(71) });
    const page = await owner.get(`${path()}/${id}`);
    for (const index of [0, 1, 2, 3, 4]) expect(page.text).to.include(await addressOf(id, index));
    expect(page.text)
      .to.include("m/44'/60'/71'/0/4".replaceAll("'", '&#39;'))
      .and.not.include(accountKey(71));
    expect((await rowOf(id))?.confirmed_at).to.equal(null);
    const wrong = await confirm(id, TREASURY);
    expect([wrong.status, (await rowOf(id))?.confirmed_at]).to.deep.equal([400, null]);
    expect(wrong.text).to.include('This address is not one of this wallet');
    expect((await confirm(id, ` ${await addressOf(id, 2)} `)).status).to.equal(303);
    expect((await rowOf(id))?.confirmed_at).to.deep.equal(harness.ctx.now());
    expect((await owner.get(path())).text).to.include('Your wallet');
    const written = await entries();
    expect(written.map(({ command }) => command)).to.deep.equal(['wallet set', 'wallet confirmed']);
    expect(written.every(({ actor }) => actor === owner.id)).to.equal(true);
    expect(JSON.stringify(written)).to.not.include(accountKey(71));
  });

  it('of Bitcoin and of a treasury are added as the command adds them', async () => {
    const bitcoin = await add({ kind: 'xpub', value: BIP84.zpub });
    expect((await owner.get(`${path()}/${bitcoin.id}`)).text).to.include(BIP84.receiving[0]);
    const bare = await add({ kind: 'xpub', value: bitcoinKey('xpub', 5), network: 'bitcoin' });
    expect((await rowOf(bare.id))?.family).to.equal('bitcoin');
    const treasury = await add({ kind: 'forwarder', value: TREASURY });
    expect((await owner.get(`${path()}/${treasury.id}`)).text).to.include('Nobody has audited');
    await confirm(treasury.id, TREASURY);
    expect((await rowOf(treasury.id))?.confirmed_at).to.not.equal(null);
  });

  it('that take the place of another wait a day, and every owner is told at once', async () => {
    await setEmail(harness.ctx.db, live.id, 'shop@shop.example');
    await joinDesk(harness, 'partner@shop.example', { merchantId: live.id });
    await joinDesk(harness, 'helper@shop.example', { merchantId: live.id, role: 'support' });
    const { id: before } = await useWallet(harness.ctx, live.id);
    await harness.work();
    const { id } = await add({ kind: 'xpub', value: accountKey(72) });
    await harness.work();
    const sent = mail.mails.length;
    await confirm(id, await addressOf(id));
    expect([(await rowOf(before))?.retired_at, (await rowOf(id))?.confirmed_at]).to.deep.equal([null, null]);
    await harness.work();
    const told = mail.mails.slice(sent);
    expect(told.flatMap(({ to }) => to).toSorted()).to.deep.equal([
      'owner@shop.example',
      'partner@shop.example',
      'shop@shop.example',
    ]);
    const source = told[0]?.source.replaceAll(/=\r\n/g, '') ?? '';
    expect(source).to.include('was announced').and.include(path()).and.include('2026-02-01T12:00:00.000Z');
    expect((await owner.get(`${path()}/${id}`)).text).to.include('2026-02-01 12:00 UTC');
    harness.advance(DAY_SECONDS - 1);
    await harness.work();
    expect((await rowOf(id))?.confirmed_at).to.equal(null);
    harness.advance(1);
    await harness.work();
    expect((await rowOf(id))?.confirmed_at).to.deep.equal(harness.ctx.now());
    expect((await rowOf(before))?.retired_at).to.deep.equal(harness.ctx.now());
    expect((await entries()).map(({ command }) => command)).to.deep.equal(['wallet set', 'wallet announced']);
  });

  it('that wait can be withdrawn by any owner, and then the one in use stays', async () => {
    const { id: before } = await useWallet(harness.ctx, live.id);
    const { id } = await add({ kind: 'xpub', value: accountKey(73) });
    await confirm(id, await addressOf(id));
    const partner = await joinDesk(harness, 'partner@shop.example', { merchantId: live.id });
    await partner.post(`${path()}/${id}/retire`);
    harness.advance(DAY_SECONDS);
    await harness.work();
    expect((await rowOf(id))?.confirmed_at).to.equal(null);
    expect((await rowOf(before))?.retired_at).to.equal(null);
    expect(await harness.ctx.db('scheduled_jobs').where({ job: 'wallet.use' })).to.deep.equal([]);
  });

  it('wait also where the one before was retired first, or was the default of the installation', async () => {
    const { id: before } = await useWallet(harness.ctx, live.id);
    await owner.post(`${path()}/${before}/retire`);
    expect((await rowOf(before))?.retired_at).to.not.equal(null);
    const { id } = await add({ kind: 'xpub', value: accountKey(74) });
    await confirm(id, await addressOf(id));
    expect((await rowOf(id))?.confirmed_at).to.equal(null);
    await useWallet(harness.ctx, null, { network: 'bitcoin', value: bitcoinKey('xpub', 8) });
    const bitcoin = await add({ kind: 'xpub', value: BIP84.zpub });
    await confirm(bitcoin.id, BIP84.receiving[0] ?? '');
    expect((await rowOf(bitcoin.id))?.confirmed_at).to.equal(null);
    expect((await owner.get(path())).text).to.include('The wallet of the service');
  });

  it('wait where the shop sells on other networks for a day, and not while it is new', async () => {
    const evm = await add({ kind: 'xpub', value: accountKey(77) });
    await confirm(evm.id, await addressOf(evm.id));
    const bitcoin = await add({ kind: 'xpub', value: BIP84.zpub });
    await confirm(bitcoin.id, BIP84.receiving[0] ?? '');
    expect((await rowOf(bitcoin.id))?.confirmed_at).to.deep.equal(harness.ctx.now());
    const { id: other } = await harness.addMerchant({ mode: 'live' });
    await useWallet(harness.ctx, other);
    harness.advance(DAY_SECONDS);
    const boss = await joinDesk(harness, 'boss@shop.example', { merchantId: other });
    const own = `/dashboard/${other}/settings/wallets`;
    const value = bitcoinKey('xpub', 9);
    const { location = '' } = await boss.post(own, { kind: 'xpub', network: 'bitcoin', value });
    const id = location.split('/').at(-1) ?? '';
    await boss.post(`${location}/confirm`, { address: await addressOf(id) });
    expect((await rowOf(id))?.confirmed_at).to.equal(null);
    expect((await boss.get(location)).text).to.include('It waits, and takes money from');
  });

  it('that are confirmed at one moment are not both the first', async () => {
    const [one, other] = [
      await add({ kind: 'xpub', value: accountKey(78) }),
      await add({ kind: 'xpub', value: accountKey(79) }),
    ];
    const { ctx } = harness;
    const [address, otherAddress] = [await addressOf(one.id), await addressOf(other.id)];
    await waitingFor(
      ctx.db,
      (tx) => confirmWallet({ ...ctx, db: tx }, other.id, otherAddress),
      () => confirm(one.id, address),
    );
    expect((await rowOf(one.id))?.confirmed_at).to.equal(null);
    expect((await rowOf(other.id))?.retired_at).to.equal(null);
    expect(await ctx.db('scheduled_jobs').where({ job: 'wallet.use' })).to.have.lengthOf(1);
  });

  it('are announced to an owner whom another one removes at once', async () => {
    const partner = await joinDesk(harness, 'partner@shop.example', { merchantId: live.id });
    await useWallet(harness.ctx, live.id);
    await harness.work();
    const { id } = await add({ kind: 'xpub', value: accountKey(80) });
    await confirm(id, await addressOf(id));
    await owner.post(`/dashboard/${live.id}/people/${partner.id}/remove`);
    const sent = mail.mails.length;
    await harness.work();
    const told = mail.mails.slice(sent).filter(({ source }) => source.includes('was announced'));
    expect(told.flatMap(({ to }) => to)).to.include('partner@shop.example');
  });

  it('are at most so many, retired ones included', async () => {
    const row = await rowOf((await useWallet(harness.ctx, live.id)).id);
    const rows = Array.from({ length: MOST_WALLETS - 2 }, () => ({
      ...row,
      id: newId('wal', harness.ctx.now()),
      retired_at: harness.ctx.now(),
    }));
    await harness.ctx.db('wallets').insert(rows);
    expect((await add({ kind: 'xpub', value: accountKey(81) })).status).to.equal(303);
    const refused = await add({ kind: 'xpub', value: accountKey(82) });
    expect([
      refused.status,
      refused.text.includes(`There are ${MOST_WALLETS} wallets already`),
    ]).to.deep.equal([400, true]);
  });

  it('are of live shops alone: a test shop takes no account away from its own live one', async () => {
    const tester = await joinDesk(harness, 'tester@shop.example');
    const own = `/dashboard/${harness.merchant.id}/settings/wallets`;
    expect((await tester.get(own)).text).to.not.include('name="value"');
    const { status } = await tester.post(own, { kind: 'xpub', value: accountKey(83), network: '' });
    expect(status).to.equal(400);
    expect(await harness.ctx.db('wallets')).to.deep.equal([]);
  });

  it('are confirmed once: a second click neither shortens the wait nor begins it again', async () => {
    await useWallet(harness.ctx, live.id);
    const { id } = await add({ kind: 'xpub', value: accountKey(75) });
    await confirm(id, await addressOf(id));
    harness.advance(3_600);
    await prove();
    await confirm(id, await addressOf(id));
    const [job] = (await harness.ctx.db('scheduled_jobs').where({ job: 'wallet.use' })) as { run_at: Date }[];
    expect(job?.run_at.toISOString()).to.equal('2026-02-01T12:00:00.000Z');
  });

  it('never keep or repeat a secret that was pasted', async () => {
    for (const [value, name] of [
      [MNEMONIC, 'a seed phrase'],
      ['0x'.concat('ac'.repeat(32)), 'a private key'],
      [bitcoinKey('xprv', 0), 'an extended private key'],
    ] as const) {
      const { status, text } = await add({ kind: 'xpub', value });
      expect(status).to.equal(400);
      expect(text).to.include(`This looks like ${name}`).and.not.include(value);
    }
    expect(await harness.ctx.db('wallets').where({ merchant_id: live.id })).to.deep.equal([]);
  });

  it('say nothing of another shop that has the same account', async () => {
    const other = await harness.addMerchant({ mode: 'live' });
    const theirs = await useWallet(harness.ctx, other.id, { value: accountKey(76) });
    const { id } = await add({ kind: 'xpub', value: accountKey(76) });
    const refused = await confirm(id, await addressOf(id));
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('takes money elsewhere already');
    expect(refused.text).to.not.include(other.id).and.not.include(theirs.id);
    const elsewhere = await add({ kind: 'xpub', value: accountKey(76), network: 'bitcoin' });
    expect(elsewhere.status).to.equal(400);
    expect(elsewhere.text).to.not.include(theirs.id);
  });

  for (const [what, fields] of [
    ['another kind', { kind: 'paper', value: TREASURY }],
    ['nothing', { kind: 'xpub', value: '' }],
    ['an address as an account', { kind: 'xpub', value: TREASURY }],
    ['an address with a slip', { kind: 'forwarder', value: TREASURY.replace('a', 'b') }],
    ['too much', { kind: 'xpub', value: 'x'.repeat(5_000) }],
  ] as const)
    it(`refuse ${what}`, async () => {
      const { status } = await add(fields);
      expect(status).to.equal(400);
      expect(await harness.ctx.db('wallets').where({ merchant_id: live.id })).to.deep.equal([]);
    });

  it('that somebody changed in the database show no address, and are not confirmed', async () => {
    const { id } = await add({ kind: 'forwarder', value: TREASURY });
    await harness.ctx
      .db('wallets')
      .where({ id })
      .update({ public_data: '0x'.concat('11'.repeat(20)) });
    const { text } = await owner.get(`${path()}/${id}`);
    expect(text).to.include('Refused').and.not.include('1111111111');
    await confirm(id, TREASURY);
    expect((await rowOf(id))?.confirmed_at).to.equal(null);
  });
});
