import type { Harness } from './harness.ts';

export interface Link {
  readonly id: string;
  readonly url: string;
  readonly [field: string]: unknown;
}

/** Creates a payment link, by default of one fixed price. */
export async function createLink(harness: Harness, fields: object = {}, apiKey?: string): Promise<Link> {
  const amounts = 'open_amount' in fields ? {} : { prices: [{ amount: '10.50' }] };
  const { body } = await harness
    .api('post', '/v1/links', apiKey)
    .send({ title: 'Tea', ...amounts, ...fields })
    .expect(201);
  return body as Link;
}

/** The path of a link's page. */
export const pathOf = ({ url }: Link): string => new URL(url).pathname;

/** The hidden fields of the page's form, as a browser posts them. */
export async function openLink(harness: Harness, link: Link): Promise<{ nonce: string; text: string }> {
  const { text } = await harness.api('get', pathOf(link), null).expect(200);
  return { nonce: /name="nonce" value="([\w-]+)"/.exec(text)?.[1] ?? '', text };
}

/** Posts the form of a link's page. */
export const postLink = (harness: Harness, link: Link, form: object) =>
  harness.api('post', pathOf(link), null).type('form').send(form);

/** Buys by a new form, and returns the checkout's token; null: the response is another. */
export async function buyByLink(harness: Harness, link: Link, form: object = {}): Promise<string | null> {
  const { nonce } = await openLink(harness, link);
  const { headers } = await postLink(harness, link, { nonce, price: '0', ...form });
  return /^\/checkout\/([\w.-]{32,41})$/.exec(headers.location ?? '')?.[1] ?? null;
}
