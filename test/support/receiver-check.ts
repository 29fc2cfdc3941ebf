import { verifyWebhook, type VerifyWebhookOptions, type WebhookEvent } from '../../src/sdk/index.ts';
import { startReceiver, type Answer, type ReceivedRequest } from './receivers.ts';
import type { Harness } from './harness.ts';

/** The status with which a receiver responds to a request. */
export type Respond = (request: ReceivedRequest) => number;

/** Checks receivers that respond to requests as the test decides. */
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
  /** Returns the receiver check of such a receiver, and the requests that it received. */
  const check = async (answer: (request: ReceivedRequest) => Answer | Promise<Answer>) => {
    const receiver = await startReceiver({ answer });
    const request = harness().api('post', '/v1/webhooks/examine').send({ url: receiver.url });
    const { body } = await request.expect(200);
    await receiver.close();
    const failed = (body.cases as { case: string; passed: boolean }[])
      .filter(({ passed }) => !passed)
      .map((one) => one.case);
    return { body, failed, requests: receiver.requests, url: receiver.url };
  };
  const checkStatus = (respond: Respond) => check((request) => ({ status: respond(request) }));
  const correct: Respond = (request) => (isGenuine(request) ? 200 : 401);
  return { verified, isGenuine, check, checkStatus, correct };
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
