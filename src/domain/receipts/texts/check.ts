import { ValidationError } from '../../api/errors.ts';
import { MOST_CHARACTERS, PLACEHOLDERS, type OwnTexts } from './kinds.ts';
import { sanitize } from './sanitize.ts';

export type TextField = keyof OwnTexts;

/**
 * Reads what somebody has typed for a mail, as it is stored: without control characters and direction marks,
 * the subject on one line. Nothing typed is the standard text. Throws ValidationError for an unknown
 * placeholder, which it names, a brace of no placeholder, a link, an address of a wallet, and for what is too
 * long.
 */
export function checkOwnTexts(typed: Readonly<Record<TextField, string>>): OwnTexts {
  return { subject: checked('subject', typed.subject), text: checked('text', typed.text) };
}

function checked(field: TextField, typed: string): string | null {
  const text = field === 'subject' ? clean(typed) : lines(typed);
  if (text === '') return null;
  const most = MOST_CHARACTERS[field];
  if ([...text].length > most)
    throw new ValidationError(field, 'maxLength', `has more than ${most} characters`);
  checkPlaceholders(field, text);
  checkPlaces(field, seen(text));
  return text;
}

/** The text as it looks: what has no width hides a link from a pattern, and from no reader. */
const seen = (text: string): string =>
  text
    .replaceAll(PLACEHOLDER, 'xx')
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{M}]/gu, '');

/** Customers pay where the payment's page says, and nowhere else. */
function checkPlaces(field: TextField, text: string): void {
  const link = LINK.exec(text)?.[0];
  if (link !== undefined)
    throw new ValidationError(
      field,
      'not',
      `has "${link}", which mail programs make a link of: the mail has the link of the payment, and no other`,
    );
  const address = ADDRESS.exec(text)?.[0];
  if (address !== undefined)
    throw new ValidationError(
      field,
      'not',
      `has "${address}", which customers may take for an address to pay: the payment's page has it`,
    );
}

const clean = (text: string): string => sanitize(text, Infinity);

/** At most one blank line between two paragraphs. */
const lines = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map(clean)
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

const PLACEHOLDER = /\{([^{}]*)\}/g;

function checkPlaceholders(field: TextField, text: string): void {
  const known: readonly string[] = PLACEHOLDERS[field];
  const named = known.map((name) => `{${name}}`).join(', ');
  for (const [placeholder, name = ''] of text.matchAll(PLACEHOLDER))
    if (!known.includes(name))
      throw new ValidationError(field, 'not', `has ${placeholder}, which is no placeholder: use ${named}`);
  const brace = /[{}]/.exec(text.replaceAll(PLACEHOLDER, ''))?.[0];
  if (brace !== undefined)
    throw new ValidationError(field, 'not', `has a ${brace} that belongs to no placeholder: use ${named}`);
}

/**
 * What mail programs make links of: a scheme, an address of mail, a name with a dot before two letters. Not
 * "z.B.", and not the full stop of Japanese, behind which a sentence begins.
 */
const LINK =
  /[a-z][a-z\d+.-]*:\/\/\S*|\b(?:mailto|tel|sms|javascript|data):\S+|\S+@\S+|[\p{L}\p{N}-]+[.\uff0e]\p{L}{2,}\S*/iu;

/** No word with a digit is as long; every network's address is, and who writes one waits for no day. */
const ADDRESS = /(?=[a-z]*\d)[a-z\d]{25,}/iu;
