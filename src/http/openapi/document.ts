import type { Endpoint } from '../../domain/api/endpoint.ts';
import { VERSION } from '../../platform/root.ts';
import { Components } from './components.ts';
import { EXAMPLES } from './examples.ts';
import { HEADERS } from './headers.ts';
import { operationOf } from './operation.ts';
import { PARAMETERS } from './parameters.ts';
import { TAGS, tagOf } from './tags.ts';
import { webhooksOf } from './webhooks.ts';

const DESCRIPTION = `Merchants accept payments in cryptocurrency: their server creates a payment, their customer
pays on its checkout page, and signed webhooks report each step.

Every response under \`/v1\` has \`X-Request-Id\` and the three \`X-RateLimit\` headers. An error has one form,
whatever its status. A path that does not exist is a 404 (\`route_not_found\`), and a method that a path does not
have a 405 (\`method_not_allowed\`) with \`Allow\`. What is no valid request of HTTP gets the same body: 400
(\`malformed_request\`), 408 (\`request_timeout\`), 417 (\`expectation_failed\`) or 431 (\`header_too_large\`). Failed authentications are limited to 60 a minute and address.
Fields, event types and errors may be added within \`/v1\`: ignore what you do not know.`;

/**
 * The OpenAPI 3.1 document of the endpoints, from the same schemas that validate their requests. `publicUrl`
 * is where clients reach the service.
 */
export function openApiDocument(endpoints: readonly Endpoint[], publicUrl: string): object {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(endpoint, components) };
  }
  const used = new Set(endpoints.map(({ path }) => tagOf(path)));
  const webhooks = webhooksOf(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment checkout',
      version: VERSION,
      summary: 'Payments in cryptocurrency: REST API and signed webhooks.',
      description: DESCRIPTION,
      contact: { name: 'The operator of this service', url: publicUrl },
      license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name as keyof typeof TAGS))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: '`sk_test_...` or `sk_live_...`; what it may do are its permissions.',
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      examples: EXAMPLES.errors,
      schemas: components.schemas,
    },
  };
}
