import { Writable } from 'node:stream';
import { expect } from 'chai';
import { createLogger, transports } from 'winston';
import { faultOf, retryAfter } from '../../../src/domain/receipts/retry.ts';
import { sendReceipts } from '../../../src/domain/receipts/send.ts';
import { createMailer } from '../../../src/platform/mail.ts';
import { run, sql } from '../../../src/platform/postgres/db.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';

const NO_FAULT = { code: null, command: null, responseCode: null, isUnknownMailbox: false };

describe('a receipt that the mail server rejects', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const stored = sql<Record<string, unknown>>(
    'test_receipts',
    'SELECT attempts, leased_until, sent_at, given_up_at, last_error FROM receipts ORDER BY event_id',
  );
  const rows = () => run(scene.harness.ctx.db, stored, []);
  const now = () => scene.harness.ctx.now();

  it('is sent when the server accepts mail again, after the delay and not before', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    await scene.settle();
    expect((await scene.due()).map(({ run_at }) => run_at.getTime() - now().getTime())).to.deep.equal([
      10_000,
    ]);
    expect((await rows())[0]).to.deep.include({ attempts: 1, leased_until: null, sent_at: null });
    server.refuse(false);
    harness.advance(9.999);
    await harness.work();
    expect(scene.mails()).to.deep.equal([]);
    harness.advance(0.001);
    await harness.work();
    expect(scene.mails()).to.have.length(1);
    expect((await rows())[0]).to.deep.include({ attempts: 2, sent_at: now(), given_up_at: null });
    expect(await scene.due()).to.deep.equal([]);
  });

  it('is given up after ten attempts, within three days', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    const begin = now().getTime();
    await scene.settle();
    for (let attempts = 1; ; attempts += 1) {
      const [next] = await scene.due();
      if (next === undefined) break;
      expect(attempts).to.be.lessThan(10);
      harness.advance((next.run_at.getTime() - now().getTime()) / 1000);
      await harness.work();
    }
    expect((await rows())[0]).to.deep.include({ attempts: 10, given_up_at: now() });
    expect(now().getTime() - begin).to.be.within(2 * 86_400_000, 3 * 86_400_000);
    server.refuse(false);
    harness.advance(10 * 86_400);
    await harness.work();
    expect(scene.mails()).to.deep.equal([]);
  });

  it('is given up at once for an unknown mailbox, and delays no other receipt of the job', async () => {
    const { shop, harness, server } = scene;
    server.refuseRecipient('gone@customer.example', 550);
    const gone = await shop.create({ customer_email: 'gone@customer.example' });
    const here = await shop.create({ customer_email: CUSTOMER });
    for (const id of [gone, here]) await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    expect(server.mails.map(({ to }) => to)).to.deep.equal([[CUSTOMER]]);
    expect(await scene.due()).to.deep.equal([]);
    expect(await rows()).to.deep.include({
      attempts: 1,
      leased_until: null,
      sent_at: null,
      given_up_at: now(),
      last_error:
        "Can't send mail - all recipients were rejected: 550 gone@customer.example is not known here",
    });
  });

  for (const [what, code, words] of [
    ['a full mailbox', 452, undefined],
    ['a full mailbox, for good', 552, '5.2.2 mailbox full'],
    ['a relay that an operator must allow', 550, '5.7.1 relaying denied'],
  ] as const)
    it(`is retried for ${what}`, async () => {
      scene.server.refuseRecipient(CUSTOMER, code, words);
      await scene.settle();
      expect(await scene.due()).to.have.length(1);
    });

  it('reaches a customer at an internationalised domain, whose address stays as it was given', async () => {
    const { shop, server, harness } = scene;
    const given = 'ann@Bücher.example';
    const id = await scene.settle({ customer_email: given });
    expect((await shop.payment(id)).customer_email).to.equal(given);
    // This server decodes the recipient; the header is as it was sent.
    expect(server.mails.map(({ to }) => to)).to.deep.equal([['ann@bücher.example']]);
    expect(server.mails[0]?.source).to.match(/^To: ann@xn--bcher-kva\.example\r$/m);
    expect(await harness.ctx.db('receipts').whereNotNull('sent_at')).to.have.length(1);
  });

  it('reaches a mailbox with a name of its own script where the mail server takes SMTPUTF8', async () => {
    await scene.settle({ customer_email: '用户@例え.example' });
    expect(scene.server.mails.map(({ to }) => to)).to.deep.equal([['用户@例え.example']]);
  });

  it('is retried when the server is down', async () => {
    await scene.server.close();
    await scene.settle();
    expect(await scene.due()).to.have.length(1);
  });

  it('logs neither the address nor the password', async () => {
    const { harness, server } = scene;
    server.refuse(true);
    await scene.settle();
    const [due] = await scene.due();
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const log = createLogger({ level: 'debug', transports: [new transports.Stream({ stream })] });
    const away = server.url.replace('//', '//operator:hush-hush@').replace(/\d+$/, '1');
    server.refuseRecipient(CUSTOMER, 550);
    for (const smtpUrl of [away, server.url])
      await sendReceipts(
        { ...harness.ctx, log },
        { mailer: createMailer({ ...harness.ctx.config, smtpUrl }) },
        [due?.key ?? ''],
      );
    expect(lines).to.have.length(2);
    expect(lines[0]).to.include('receipt failed').and.include('"retry_seconds":60').and.include('ESOCKET');
    expect(lines[1]).to.include('receipt given up').and.include('"response_code":550');
    expect(lines.join('')).to.not.match(/hush|operator|customer\.example/);
  });

  it('fails no request that advances a test clock, and is sent at the time of that clock', async () => {
    const { shop, harness, server } = scene;
    server.refuse(true);
    const id = await shop.create({ customer_email: CUSTOMER });
    await shop.pay(id);
    const advance = (by: string) =>
      harness.api('post', `/v1/sandbox/payments/${id}/advance`).send({ by }).expect(200);
    await advance('1h');
    expect((await shop.payment(id)).status).to.equal('SETTLED');
    server.refuse(false);
    await advance('1d');
    const [mail, ...others] = scene.mails();
    expect(others).to.deep.equal([]);
    expect(mail?.text).to.include('Time: January 31, 2026 at 12:02 PM UTC');
    expect(mail?.headers.get('date'), 'system clock').to.equal('Sat, 31 Jan 2026 12:00:00 +0000');
    expect(await scene.due()).to.deep.equal([]);
  });
});

describe('the schedule of receipts', () => {
  it('waits longer each time, and is finite', () => {
    const delays = Array.from({ length: 10 }, (_, index) => retryAfter(index + 1, NO_FAULT));
    expect(delays.at(-1)).to.equal(null);
    const waits = delays.slice(0, -1).map(Number);
    expect(waits).to.deep.equal([...waits].sort((a, b) => a - b));
  });

  const answered = (response: string, command = 'RCPT TO') => ({
    code: command === 'DATA' ? 'EMESSAGE' : 'EENVELOPE',
    command,
    response,
    responseCode: Number(response.slice(0, 3)),
  });
  const FAULTS: [string, object, boolean][] = [
    ['an unknown mailbox', answered('550 5.1.1 <ann@x.example>: recipient rejected'), true],
    ['an unknown mailbox after the mail', answered('550-5.1.1 the account does not exist', 'DATA'), true],
    ['a domain that does not exist', answered('550 5.1.2 host or domain name not found'), true],
    ['a domain that takes no mail', answered('556 5.1.10 domain does not accept mail'), true],
    ['an unknown mailbox, in words', answered('550 No such user here'), true],
    ['an invalid address', { code: 'EENVELOPE', command: 'API' }, true],
    ['a refused relay', answered('550 5.7.1 relaying denied'), false],
    ['a refused relay, in words', answered('550 relay not permitted'), false],
    ['a full mailbox, for now', answered('452 4.2.2 over quota'), false],
    ['a full mailbox', answered('552 5.2.2 mailbox full'), false],
    ['a policy that only mentions the unknown', answered('550 5.7.1 unknown sender reputation'), false],
    ['a mail that is refused for its content', answered('554 5.7.1 spam', 'DATA'), false],
    ['a refused sender, which concerns every mail', answered('550 no such sender', 'MAIL FROM'), false],
    ['a wrong password', { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, false],
    ['a server that does not answer', { code: 'ETIMEDOUT', command: 'CONN' }, false],
    ['something else', {}, false],
  ];
  for (const [name, fields, isPermanent] of FAULTS)
    it(`${name} is ${isPermanent ? 'permanent' : 'temporary'}`, () => {
      const fault = faultOf(Object.assign(new Error(name), fields));
      expect(retryAfter(1, fault) === null).to.equal(isPermanent);
    });
});
