import { send, type Answer, type Listening } from './http.ts';

/** Every page of the documentation by its path, as the navigation of the first one leads to them. */
export async function docsPages(server: Listening): Promise<ReadonlyMap<string, Answer>> {
  const first = await send(server, 'GET', '/docs', {});
  const navigation = /<nav id="pages".*?<\/nav>/s.exec(first.text)?.[0] ?? '';
  const pages = new Map<string, Answer>();
  for (const path of linksOf(navigation)) pages.set(path, await send(server, 'GET', path, {}));
  return pages;
}

/** The addresses of all links in markup, as they stand in it. */
export function linksOf(markup: string): readonly string[] {
  return [...markup.matchAll(/<a\b[^>]*\shref="([^"]+)"/g)].map(([, address = '']) => address);
}

/** Every id in markup. */
export function idsOf(markup: string): readonly string[] {
  return [...markup.matchAll(/<[^>]*\sid="([^"]+)"/g)].map(([, id = '']) => id);
}

/** The text of a page as a reader copies it, line breaks included. */
export function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)))
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, number) => String.fromCharCode(Number.parseInt(String(number), 16)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
