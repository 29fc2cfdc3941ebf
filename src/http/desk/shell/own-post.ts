import express, { type Request, type RequestHandler } from 'express';
import { noteFacts } from '../../logging/access-log.ts';
import { PAGE_HEADERS } from '../../checkout/page.ts';
import { forCustomers } from '../../checkout/messages.ts';

const FORM = 'application/x-www-form-urlencoded';
const FORM_WITH_FILE = 'multipart/form-data';
/** More than the largest file: who sends a larger one reads why it was not taken. */
const FILE_LIMIT = '2mb';
/** A link has 3,100 characters at most, of nine bytes in a form, and an address of 2,048, of three. */
const FORM_LIMIT = '48kb';

/**
 * Lets the desk's own forms through, and refuses what another page makes a browser post, by what browsers say
 * themselves: Sec-Fetch-Site, and Origin where it is not sent. A request with neither is no browser's, or one
 * that cannot be judged: it is refused as well. So is every other type of content, which is not even read.
 * A form with a file is of another type than the others.
 */
export function ownPostOnly(
  publicUrl: string,
  { takesFile = false, show = forCustomers } = {},
): RequestHandler[] {
  const { origin, protocol } = new URL(publicUrl);
  const type = takesFile ? FORM_WITH_FILE : FORM;
  const refuse: RequestHandler = (request, response, next) => {
    const isOwn = isFromOwnPage(request, origin, protocol);
    if (isOwn && request.is(type) === type) return next();
    noteFacts(response, { reason: isOwn ? 'no form' : 'posted by another page' });
    // The unread rest of a form would be parsed as the next request.
    response
      .status(isOwn ? 415 : 403)
      .set(PAGE_HEADERS)
      .set('Connection', 'close');
    response.send(show(request, response, 'badForm'));
  };
  const read = takesFile
    ? express.raw({ type, limit: FILE_LIMIT, inflate: false })
    : express.urlencoded({ extended: false, limit: FORM_LIMIT, parameterLimit: 50 });
  return [refuse, read];
}

/**
 * `none`: the visitor has sent the form again, which may be another page's: the Origin says whose it is.
 * A browser's `same-origin` says so itself.
 */
function isFromOwnPage({ headers }: Pick<Request, 'headers'>, origin: string, protocol: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || (site === 'none' && headers.origin === undefined)) return true;
  if (site !== undefined && site !== 'none') return false;
  return headers.origin === origin || headers.origin === `${protocol}//${headers.host ?? ''}`;
}
