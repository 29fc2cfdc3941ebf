import type { EndpointHealth } from '../../client/index.ts';
import { webhookSecrets } from '../../index.ts';
import { storedSecret } from '../listen/secret.ts';
import { given } from '../settings/profiles.ts';
import { note, ok, wrong, type Finding, type Subject } from './check.ts';

/** As in the examples of receivers; the second is the older name. */
const SECRET_VARIABLES = ['WEBHOOK_SECRET', 'WEBHOOK_SECRETS'] as const;
/** The service waits for a receiver for 15 s. */
const TEST_TIMEOUT_MS = 20_000;

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
export async function checkSecret({ terminal, client, status }: Subject): Promise<Finding> {
  const name = SECRET_VARIABLES.find((one) => given(terminal.env, one) !== undefined);
  if (name === undefined)
    return note('secret', `${SECRET_VARIABLES[0]} is not set here`, 'set it to compare it with the service');
  let secrets: readonly string[];
  try {
    secrets = webhookSecrets(given(terminal.env, name));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return wrong('secret', `${name}: ${why}`, 'set it to the secret of webhooks, or of listen');
  }
  const local = storedSecret(terminal.env);
  const isOfListen = local !== null && secrets.includes(local);
  if (status.permissions?.includes('webhooks:secrets') !== true)
    return isOfListen
      ? ok('secret', `${name} has that of listen`)
      : note('secret', 'not compared', 'it needs a key with webhooks:secrets');
  const { secret, previous } = await client.webhooks.secrets();
  if (secrets.includes(secret)) return ok('secret', `${name} has the one in force`);
  if (previous.some((one) => secrets.includes(one.secret)))
    return wrong('secret', `${name} has one that ends soon`, 'set the new one as well');
  if (isOfListen) return ok('secret', `${name} has that of listen`);
  return wrong('secret', `${name} has none that signs`, 'set it to what GET /v1/webhooks/secrets returns');
}

/** Whether the receiver is there, and takes an event that is signed: one test event. */
export async function checkReceiver({ client, status }: Subject): Promise<Finding> {
  if (status.permissions?.includes('webhooks:write') !== true)
    return note('receiver', 'not tried', 'it needs a key with webhooks:write');
  const { webhookUrl, enabled } = await client.webhooks.config();
  if (webhookUrl === null || !enabled) return note('receiver', 'not tried', 'webhooks are off');
  const sent = { type: 'checkout.created' } as const;
  const tested = await client.webhooks.test(sent, { timeoutMs: TEST_TIMEOUT_MS });
  const { delivered, status_code: code, error } = tested;
  if (delivered) return ok('receiver', `${webhookUrl} took a test event`);
  if (code === null)
    return wrong(
      'receiver',
      `${webhookUrl} does not answer: ${error}`,
      'start it, or correct the webhookUrl',
    );
  return code === 401 || code === 403
    ? wrong(
        'receiver',
        `${webhookUrl} answers ${code} to an event that is signed well`,
        `set its ${SECRET_VARIABLES[0]} to what GET /v1/webhooks/secrets returns`,
      )
    : wrong('receiver', `${webhookUrl} answers ${code}`, 'it has to answer 2xx: see webhooks examine');
}

/** Sends the receiver what receivers get wrong. */
export async function examineReceiver({ client }: Subject): Promise<Finding> {
  const { passed, summary, cases } = await client.webhooks.examine();
  if (passed) return ok('receiver', summary);
  const advice = cases.filter((one) => !one.passed).map((one) => `${one.case}: ${one.advice ?? one.error}`);
  return wrong('receiver', summary, advice.join('; ') || 'see webhooks examine');
}
