import type { Request } from 'express';

/** Programs that look at a link before a person does, in mail, chats and search. */
const LOOKS_AHEAD = /(?<!cu)bot\b|crawl|spider|slurp|preview|scan|facebookexternalhit|whatsapp|curl|wget/i;

/** True when a person seems to look: not for HEAD, for what a browser loads in advance, and for programs that say that they are one. */
export function isHumanView({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  const ahead = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']];
  return (
    method === 'GET' &&
    ahead.every((purpose) => purpose === undefined) &&
    !LOOKS_AHEAD.test(headers['user-agent'] ?? '')
  );
}
