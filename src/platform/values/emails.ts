import { domainToASCII } from 'node:url';

/** RFC 5321, and with SMTPUTF8 (RFC 6531) letters of every script. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
const ASCII_DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;
const IS_ASCII = /^[!-~]*$/;
const MAX_LENGTH = 254;

/**
 * True for a mail address, also one at an internationalised domain: mail goes to its ASCII form, which is
 * what must fit. Whether a mailbox whose own name is not ASCII can be reached is for the mail server to say.
 */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || text.length > MAX_LENGTH || !LOCAL_PART.test(local) || !DOMAIN.test(domain)) return false;
  const ascii = IS_ASCII.test(domain) ? domain : domainToASCII(domain);
  return ASCII_DOMAIN.test(ascii) && local.length + 1 + ascii.length <= MAX_LENGTH;
}

/**
 * The same text for each way to write a mail address: its case, and an internationalised domain in its own
 * letters or in ASCII. Postgres folds the case of letters that its locale knows, and no domain.
 */
export function foldMailAddress(text: string): string {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  return `${local}@${domainToASCII(domain) || domain}`.normalize('NFC').toLowerCase();
}
