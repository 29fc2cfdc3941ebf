import type { EndpointHealth } from '../../client/index.ts';
import { webhookSecrets } from '../../index.ts';
import { storedSecret } from '../listen/secret.ts';
import { given } from '../settings/profiles.ts';
import { note, ok, wrong, type Finding, type Subject } from './check.ts';

/** As in the examples of receivers. */
const SECRETS_VARIABLE = 'WEBHOOK_SECRETS';

const REMEDIES: Partial<Record<EndpointHealth['state'], string>> = {
  failing: 'see webhooks deliveries, and webhooks examine',
  paused: 'see webhooks deliveries; it goes on by itself once the receiver answers 2xx',
  switched_off: 'repair the receiver, PUT /v1/webhooks/config again, then webhooks redeliver',
};

/** Whether webhooks are sent, and arrive. */
export async function checkWebhooks({ client, status }: Subject): Promise<Finding> {
  if (status.permissions?.includes('webhooks:read') !== true)
    return note('webhooks', 'not read', 'it needs a key with webhooks:read');
  const { webhookUrl, enabled, health } = await client.webhooks.config();
  if (webhookUrl === null || !enabled)
    return note(
      'webhooks',
      webhookUrl === null ? 'no URL is set' : `off, for ${webhookUrl}`,
      'PUT /v1/webhooks/config turns them on; listen needs none',
    );
  const remedy = REMEDIES[health.state];
  const found = `${webhookUrl} is ${health.state}`;
  return remedy === undefined ? ok('webhooks', found) : wrong('webhooks', found, remedy);
}

/** Whether the secret in the environment is one that signs. */
export async function checkSecret({ outside, client, status }: Subject): Promise<Finding> {
  const configured = given(outside.env, SECRETS_VARIABLE);
  if (configured === undefined)
    return note('secret', `${SECRETS_VARIABLE} is not set here`, 'set it to compare it with the service');
  let secrets: readonly string[];
  try {
    secrets = webhookSecrets(configured);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return wrong('secret', `${SECRETS_VARIABLE}: ${why}`, 'set it to the secret of webhooks, or of listen');
  }
  const local = storedSecret(outside.env);
  const isOfListen = local !== null && secrets.includes(local);
  if (status.permissions?.includes('webhooks:secrets') !== true)
    return isOfListen
      ? ok('secret', `${SECRETS_VARIABLE} has that of listen`)
      : note('secret', 'not compared', 'it needs a key with webhooks:secrets');
  const { secret, previous } = await client.webhooks.secrets();
  if (secrets.includes(secret)) return ok('secret', `${SECRETS_VARIABLE} has the one in force`);
  if (previous.some((one) => secrets.includes(one.secret)))
    return wrong('secret', `${SECRETS_VARIABLE} has one that ends soon`, 'set the new one as well');
  if (isOfListen) return ok('secret', `${SECRETS_VARIABLE} has that of listen`);
  return wrong(
    'secret',
    `${SECRETS_VARIABLE} has none that signs`,
    'set it to what GET /v1/webhooks/secrets returns',
  );
}

/** Sends the receiver what receivers get wrong. */
export async function checkReceiver({ client }: Subject): Promise<Finding> {
  const { passed, summary, cases } = await client.webhooks.examine();
  if (passed) return ok('receiver', summary);
  const advice = cases.filter((one) => !one.passed).map((one) => `${one.case}: ${one.advice ?? one.error}`);
  return wrong('receiver', summary, advice.join('; ') || 'see webhooks examine');
}
