import { verifyWebhook, type VerifyWebhookOptions, type WebhookEvent } from '../../src/sdk/index.ts';
import { startReceiver, type Answer, type ReceivedRequest } from './receivers.ts';
import type { Harness } from './harness.ts';

/** A receiver's judgement of one request: the status that it answers. */
export type Respond = (request: ReceivedRequest) => number;

/** Has receivers examined, and judges requests as their authors would like them to. */
export function receiverChecks(harness: () => Harness) {
  const verified = ({ rawBody, headers }: ReceivedRequest, changes: Partial<VerifyWebhookOptions> = {}) =>
    verifyWebhook({
      rawBody,
      headers,
      secrets: harness().merchant.webhookSecret,
      now: harness().ctx.systemNow(),
      ...changes,
    });
  const isGenuine = (...args: Parameters<typeof verified>) => verified(...args).ok;
  /** What an examination of such a receiver says, and what arrived there. */
  const examine = async (answer: (request: ReceivedRequest) => Answer) => {
    const receiver = await startReceiver({ answer });
    const request = harness().api('post', '/v1/webhooks/examine').send({ url: receiver.url });
    const { body } = await request.expect(200);
    await receiver.close();
    const failed = (body.cases as { case: string; passed: boolean }[])
      .filter(({ passed }) => !passed)
      .map((one) => one.case);
    return { body, failed, requests: receiver.requests, url: receiver.url };
  };
  const judged = (judge: Respond) => examine((request) => ({ status: judge(request) }));
  const correct: Respond = (request) => (isGenuine(request) ? 200 : 401);
  return { verified, isGenuine, examine, judged, correct };
}

export function eventOf({ rawBody }: ReceivedRequest): WebhookEvent {
  return JSON.parse(rawBody.toString()) as WebhookEvent;
}

export function adviceOn(
  body: { cases: { case: string; advice: string | null }[] },
  name: string,
): string | null | undefined {
  return body.cases.find((one) => one.case === name)?.advice;
}
