import { webhookClientOf } from '../../src/domain/webhooks/client/client.ts';
import { newWebhookSecret } from '../../src/platform/secret-box.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';
import { signWebhook } from '../../src/sdk/sign.ts';

export interface DirectPosts {
  /** Signs a body, and POSTs it. */
  post(url: string, eventId: string, rawBody: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * The floor that latencies are compared with: the same signed POST by the same HTTP client, made at once, by
 * whoever knows of the event. There is no database, no queue and no second process.
 */
export function openDirectPosts(env: NodeJS.ProcessEnv): DirectPosts {
  const client = webhookClientOf(readConfig(env, QUEUE_NAMES));
  const secrets = newWebhookSecret();
  return {
    async post(url, eventId, rawBody) {
      await client.post(url, signWebhook({ eventId, rawBody, secrets }), rawBody);
    },
    close: () => client.close(),
  };
}
