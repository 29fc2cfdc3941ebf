import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { CASE_NAMES } from '../../../src/domain/webhooks/receiver-check/cases.ts';
import { newWebhookSecret, secretBoxOf } from '../../../src/platform/secret-box.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { countRows } from '../../support/http.ts';
import { adviceOn, eventOf, receiverChecks } from '../../support/receiver-check.ts';
import { hang, startReceiver } from '../../support/receivers.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('POST /v1/webhooks/examine', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness({ WEBHOOK_TIMEOUT_SECONDS: '1' });
  });
  after(() => harness.close());

  const { check, checkStatus, isGenuine, verified, correct } = receiverChecks(() => harness);

  it('a correct receiver passes every case, in their order', async () => {
    const { body, failed, url } = await checkStatus(correct);
    expect(failed).to.deep.equal([]);
    expect(body).to.include({ url, passed: true, summary: 'The receiver passed all 9 cases.' });
    expect(body.cases.map((one: { case: string }) => one.case)).to.deep.equal([...CASE_NAMES]);
    for (const { sent, expected, status_code, error, duration_ms, advice } of body.cases) {
      expect(sent).to.match(/^\S.*\.$/);
      expect(status_code).to.equal(expected === '2xx' ? 200 : 401);
      expect(error).to.equal(expected === '2xx' ? null : 'answered 401');
      expect(duration_ms).to.be.a('number').and.satisfy(Number.isInteger);
      expect(advice).to.equal(null);
    }
  });

  it('sends what it reports, and marks it as a test', async () => {
    const { requests } = await checkStatus(correct);
    const reasons = requests.map((request) => {
      const result = verified(request);
      return result.ok ? 'ok' : result.reason;
    });
    expect(reasons).to.deep.equal([
      'ok',
      'ok',
      'ok',
      'ok',
      'no_match',
      'missing_header',
      'timestamp_too_old',
      'timestamp_too_new',
      'no_match',
      'no_match',
    ]);
    for (const { headers } of requests) expect(headers['x-webhook-test']).to.equal('true');
    const [good, again, late, early, , , , , altered, reformatted] = requests;
    if (!good || !again || !late || !early || !altered || !reformatted) throw new Error('too few');
    expect(again.rawBody.equals(good.rawBody)).to.equal(true);
    expect([late, early].map((request) => eventOf(request).sequence)).to.deep.equal([2, 1]);
    expect(eventOf(late).data.checkout.id).to.equal(eventOf(early).data.checkout.id);
    expect(eventOf(altered).data.checkout.amount).to.equal('99.00');
    // Parsed and serialized again the body has the bytes that were signed, and only then.
    const rewritten = { ...reformatted, rawBody: Buffer.from(JSON.stringify(eventOf(reformatted))) };
    expect(isGenuine(rewritten)).to.equal(true);
    // Two requests repeat a known event. Each that must be rejected has a new one: no receiver may know it.
    expect(new Set(requests.map((request) => eventOf(request).id))).to.have.property('size', 9);
  });

  it('both kinds of signature are wrong in such a case: a receiver may verify either', async () => {
    for (const kind of [/^webhook-/, /^x-webhook-/]) {
      const { failed } = await checkStatus(({ headers, ...request }) => {
        const others = Object.entries(headers).filter(([name]) => !kind.test(name));
        return correct({ ...request, headers: Object.fromEntries(others) });
      });
      expect(failed).to.deep.equal([]);
    }
  });

  it('stops when a good event reaches no receiver, and reports why', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const { body } = await harness
      .api('post', '/v1/webhooks/examine')
      .send({ url: receiver.url })
      .expect(200);
    expect(body).to.include({ url: receiver.url, passed: false });
    expect(body.summary)
      .to.include('connection was refused')
      .and.include('ECONNREFUSED')
      .and.include('nothing else was sent');
    expect(body.cases).to.have.length(1);
    expect(body.cases[0]).to.include({ case: 'good', status_code: null, passed: false });
  });

  it('names a URL where nothing is, and stops', async () => {
    const { body, requests } = await checkStatus(() => 404);
    expect(requests).to.have.length(1);
    expect(body.summary).to.include('404 Not Found').and.include('nothing else was sent');
    expect(adviceOn(body, 'good')).to.include('nothing at this URL');
  });

  it('stops when a good event is not answered in time: after one deadline', async () => {
    const { body, requests } = await check(() => hang);
    expect(requests).to.have.length(1);
    expect(body.cases.map((one: { case: string }) => one.case)).to.deep.equal(['good']);
    expect(adviceOn(body, 'good')).to.include('at once');
  });

  it('stops within its budget for a receiver that answers some cases only', async () => {
    const { body, failed } = await check((request) => (isGenuine(request) ? { status: 200 } : hang));
    expect(failed).to.deep.equal(['wrong_signature', 'missing_signature']);
    expect(body.passed).to.equal(false);
    expect(body.summary).to.include('too slow').and.include('4 were not sent');
  });

  it('signs with both secrets while a rotation overlaps', async () => {
    const { id, apiKey, webhookSecret } = await harness.addMerchant();
    const [now, next] = [harness.ctx.now(), newWebhookSecret()];
    const encrypted = secretBoxOf(harness.ctx.config).encrypt(next, id);
    await harness.ctx.db.raw('UPDATE webhook_secrets SET expires_at = ? WHERE merchant_id = ?', [
      addSeconds(now, 3600),
      id,
    ]);
    await harness.ctx.db.raw(
      'INSERT INTO webhook_secrets (merchant_id, created_at, key_id, ciphertext) VALUES (?, ?, ?, ?)',
      [id, addSeconds(now, 1), encrypted.keyId, encrypted.ciphertext],
    );
    for (const secrets of [next, webhookSecret]) {
      const receiver = await startReceiver({
        answer: (request) => ({ status: isGenuine(request, { secrets }) ? 200 : 401 }),
      });
      const request = harness.api('post', '/v1/webhooks/examine', apiKey).send({ url: receiver.url });
      expect((await request.expect(200)).body.passed).to.equal(true);
      const [{ headers, rawBody } = expect.fail()] = receiver.requests;
      const specified = createHmac('sha256', next).update(`${String(headers['x-webhook-timestamp'])}.`);
      expect(headers['x-webhook-signature']).to.equal(specified.update(rawBody).digest('hex'));
      await receiver.close();
    }
  });

  it('goes to the configured URL, for live merchants too, and stores nothing', async () => {
    const { apiKey, webhookSecret } = await harness.addMerchant({ mode: 'live' });
    const receiver = await startReceiver({
      answer: (request) => ({ status: isGenuine(request, { secrets: webhookSecret }) ? 204 : 400 }),
    });
    const config = { webhookUrl: receiver.url, enabled: false };
    await harness.api('put', '/v1/webhooks/config', apiKey).send(config).expect(200);
    const before_ = await countRows(harness);
    const { body } = await harness.api('post', '/v1/webhooks/examine', apiKey).expect(200);
    expect(body).to.include({ url: receiver.url, passed: true });
    expect(await countRows(harness)).to.deep.equal(before_);
    await receiver.close();
  });
});
