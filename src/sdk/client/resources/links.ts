import type { PostOptions, RequestOptions } from '../http/options.ts';
import { idOf, itemsOf } from '../http/pages.ts';
import type { Send } from '../http/transport.ts';
import type { CreateLink, Link, LinkList, ListLinks, UpdateLink } from '../types/links.ts';

/** Pages on which customers create payments themselves. */
export class Links {
  readonly #send: Send;

  /** @internal */
  constructor(send: Send) {
    this.#send = send;
  }

  /** Creates a link: give customers its `url`, or print its `code_url`. */
  create(body: CreateLink, options?: PostOptions): Promise<Link> {
    return this.#send({ method: 'POST', path: '/v1/links', body }, options);
  }

  /** The link as it is now. */
  get(id: string, options?: RequestOptions): Promise<Link> {
    return this.#send({ method: 'GET', path: `/v1/links/${idOf(id)}` }, options);
  }

  /** One page, newest first. */
  list(query?: ListLinks, options?: RequestOptions): Promise<LinkList> {
    return this.#send({ method: 'GET', path: '/v1/links', query }, options);
  }

  /** Every link, newest first. */
  all(options?: RequestOptions): AsyncGenerator<Link, void, undefined> {
    return itemsOf((cursor) => this.list({ cursor }, options));
  }

  /** Changes what the body names, and leaves the rest. */
  update(id: string, body: UpdateLink, options?: PostOptions): Promise<Link> {
    return this.#send({ method: 'POST', path: `/v1/links/${idOf(id)}`, body }, options);
  }

  /** Closes a link for good: its payments go on. */
  archive(id: string, options?: PostOptions): Promise<Link> {
    return this.#send({ method: 'POST', path: `/v1/links/${idOf(id)}/archive` }, options);
  }
}
