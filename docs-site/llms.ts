import { OPENAPI_PATH } from '../src/http/openapi/serve.ts';
import { PACKAGE_PATH } from '../src/http/docs/package/send.ts';
import { pathOfMarkdown } from './markdown/plain.ts';
import { GROUPS, type DocPage } from './page.ts';

/** Every page as Markdown, with what it is about, in the form of https://llmstxt.org. */
export function llmsText(pages: readonly DocPage[]): string {
  const groups = GROUPS.map((group) => {
    const own = pages.filter((page) => page.group === group);
    const lines = own.map(({ path, title, summary }) => `- [${title}](${pathOfMarkdown(path)}): ${summary}`);
    return `## ${group}\n\n${lines.join('\n')}\n`;
  });
  return `# Payment checkout

> ${pages[0]?.summary ?? ''}

Requests have the API key in the header \`X-API-Key\`. Test keys (\`sk_test_...\`) move no real money.

${groups.join('\n')}
## Programs

- [OpenAPI 3.1 document](${OPENAPI_PATH}): each operation, field, error and event of the API.
- [SDK](${PACKAGE_PATH}): client, receiver's checks and command line, a package of npm.
`;
}
