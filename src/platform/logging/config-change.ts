import { parseUrl } from '../values/urls.ts';

/** The part of a log that this needs; a request's log knows the request, a command's the command. */
interface Changing {
  readonly log: { info(message: string, fields: object): unknown };
}

/**
 * Logs a change of what the service does for a merchant: what has changed and for whom. Who did it is in the
 * same line: `key` and `request_id` where a request did, `by` where an operator's command did. Values that
 * are secrets, or may hold one, are left out.
 */
export function logConfigChange(
  { log }: Changing,
  change: string,
  fields: Readonly<Record<string, unknown>> & { readonly merchant_id: string },
): void {
  log.info('configuration changed', { change, ...fields });
}

/** The host of a URL, for a log: merchants put tokens into paths and queries. */
export function hostOf(url: string): string {
  return parseUrl(url)?.host ?? 'invalid';
}
