import { expect } from 'chai';
import { CASE_NAMES } from '../../../src/domain/webhooks/receiver-check/cases.ts';
import { newWebhookSecret } from '../../../src/platform/secret-box.ts';
import { adviceOn, eventOf, receiverChecks } from '../../support/receiver-check.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('POST /v1/webhooks/examine finds the bug of a receiver that', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());
  const { check, checkStatus, isGenuine, verified, correct } = receiverChecks(() => harness);

  it('does not verify', async () => {
    const { body, failed } = await checkStatus(() => 200);
    expect(failed).to.deep.equal([
      'wrong_signature',
      'missing_signature',
      'stale_timestamp',
      'future_timestamp',
      'altered_body',
      'reformatted_body',
    ]);
    expect(body).to.include({ passed: false, summary: 'The receiver failed 6 of 9 cases.' });
    expect(adviceOn(body, 'wrong_signature')).to.include('does not verify');
  });

  it('ignores the timestamp', async () => {
    const { body, failed } = await checkStatus((request) =>
      isGenuine(request, { toleranceSeconds: 1e9 }) ? 200 : 401,
    );
    expect(failed).to.deep.equal(['stale_timestamp', 'future_timestamp']);
    expect(adviceOn(body, 'stale_timestamp')).to.include('ignores the timestamp');
  });

  it('accepts a timestamp from the future', async () => {
    const { body, failed } = await checkStatus((request) => {
      const result = verified(request);
      return result.ok || result.reason === 'timestamp_too_new' ? 200 : 401;
    });
    expect(failed).to.deep.equal(['future_timestamp']);
    expect(adviceOn(body, 'future_timestamp')).to.include('from the future');
  });

  it('takes two seconds', async () => {
    let isFirst = true;
    const { body, failed } = await check(async (request) => {
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 2_050));
      isFirst = false;
      return { status: correct(request) };
    });
    expect(failed).to.deep.equal([]);
    expect(body).to.include({ passed: true, slow: true });
    expect(body.summary).to.include('2 seconds or longer');
    expect(body.cases.map(({ slow }: { slow: boolean }) => slow)).to.deep.equal(
      CASE_NAMES.map((name) => name === 'good'),
    );
    expect(adviceOn(body, 'good')).to.include('at once');
  });

  it('verifies a body that was parsed and written again', async () => {
    const { body, failed } = await checkStatus((request) => {
      const rawBody = Buffer.from(JSON.stringify(eventOf(request)));
      return correct({ ...request, rawBody });
    });
    expect(failed).to.deep.equal(['reformatted_body']);
    expect(adviceOn(body, 'reformatted_body')).to.include('parsed and written again');
  });

  it('signs only the timestamp', async () => {
    const { failed } = await checkStatus(({ headers }) => {
      const fresh = Math.abs(
        harness.ctx.systemNow().getTime() / 1000 - Number(headers['x-webhook-timestamp']),
      );
      return fresh <= 300 && 'x-webhook-signature' in headers ? 200 : 401;
    });
    expect(failed).to.deep.equal(['wrong_signature', 'altered_body', 'reformatted_body']);
  });

  it('verifies only where there is a signature', async () => {
    const { body, failed } = await checkStatus((request) =>
      'webhook-signature' in request.headers ? correct(request) : 200,
    );
    expect(failed).to.deep.equal(['missing_signature']);
    expect(adviceOn(body, 'missing_signature')).to.include('without a signature');
  });

  for (const status of [409, 500])
    it(`answers ${status} to an event that it knows`, async () => {
      const seen = new Set<string>();
      const { body, failed } = await checkStatus((request) => {
        const result = verified(request);
        if (!result.ok) return 401;
        if (seen.has(result.eventId)) return status;
        seen.add(result.eventId);
        return 200;
      });
      expect(failed).to.deep.equal(['duplicate']);
      expect(adviceOn(body, 'duplicate')).to.include('does not expect an event twice');
    });

  for (const status of [422, 500])
    it(`answers ${status} to an event before its turn`, async () => {
      const known = new Set<string>();
      const { body, failed } = await checkStatus((request) => {
        const result = verified(request);
        if (!result.ok) return 401;
        const { type, data } = result.event;
        if (type === 'checkout.created') known.add(data.checkout.id);
        return type === 'checkout.pending' && !known.has(data.checkout.id) ? status : 200;
      });
      expect(failed).to.deep.equal(['reordered']);
      expect(adviceOn(body, 'reordered')).to.include('out of order');
    });

  it('accepts the later event, and fails on the earlier one', async () => {
    let latest = 0;
    const { failed, body } = await checkStatus((request) => {
      const result = verified(request);
      if (!result.ok) return 401;
      if (result.event.type === 'checkout.settled') return 200;
      if (result.event.sequence < latest) return 500;
      latest = result.event.sequence;
      return 200;
    });
    expect(failed).to.deep.equal(['reordered']);
    expect(body.cases[2].status_code).to.equal(500);
  });

  it('uses another secret', async () => {
    const { body, failed } = await checkStatus((request) =>
      isGenuine(request, { secrets: newWebhookSecret() }) ? 200 : 401,
    );
    expect(failed).to.deep.equal(['good', 'duplicate', 'reordered']);
    expect(adviceOn(body, 'good')).to.include('GET /v1/webhooks/secrets');
  });

  it('fails where it must reject', async () => {
    const { failed, body } = await checkStatus((request) => (isGenuine(request) ? 200 : 500));
    expect(failed).to.deep.equal(CASE_NAMES.slice(3));
    expect(adviceOn(body, 'altered_body')).to.include('401');
  });

  it('redirects', async () => {
    const { failed, body } = await checkStatus(() => 302);
    expect(failed).to.deep.equal([...CASE_NAMES]);
    expect(adviceOn(body, 'good')).to.include('redirects are not followed');
    expect(adviceOn(body, 'wrong_signature')).to.include('redirects are not followed');
  });
});
