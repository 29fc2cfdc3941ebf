/**
 * Delays after failed attempts. They span almost three days: by then a mail server is repaired, or nobody
 * expects the receipt.
 */
const RETRY_SECONDS = [10, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400] as const;

/** Why the mail server, or the connection to it, failed. */
export interface MailFault {
  /** Of nodemailer: EENVELOPE, ETIMEDOUT, ... */
  readonly code: string | null;
  /** The SMTP command that failed. */
  readonly command: string | null;
  readonly responseCode: number | null;
  /** The server says that the mailbox does not exist. */
  readonly isUnknownMailbox: boolean;
}

/** Seconds between the `attempts`-th attempt and the next; null: give up. */
export function retryAfter(attempts: number, fault: MailFault): number | null {
  if (isPermanent(fault)) return null;
  return RETRY_SECONDS[attempts - 1] ?? null;
}

/**
 * True where nobody can repair it: the address is none, or its mailbox does not exist. All else, an operator
 * or a day may: a relay that is refused (550 5.7.1), a full mailbox (552 5.2.2), a filter, a password.
 */
function isPermanent({ code, responseCode, isUnknownMailbox }: MailFault): boolean {
  return responseCode === null ? code === 'EENVELOPE' : isUnknownMailbox;
}

/** Enhanced status codes (RFC 3463, RFC 7505): no such mailbox or domain, or form of one; moved; no mail. */
const UNKNOWN_MAILBOX = /^5\.1\.(?:1|2|3|6|10)$/;
/** What servers without such codes write; a bare 550 may be a policy. */
const UNKNOWN_IN_WORDS =
  /\b(?:unknown|no such|not (?:known|found|exist)|does(?:n't| not) exist|no mailbox)\b/i;

function isUnknown(responseCode: number, command: unknown, response: unknown): boolean {
  if (responseCode < 500 || typeof response !== 'string') return false;
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  if (enhanced !== undefined) return UNKNOWN_MAILBOX.test(enhanced);
  return command === 'RCPT TO' && [550, 551, 553].includes(responseCode) && UNKNOWN_IN_WORDS.test(response);
}

/** What may be logged of a failed attempt: not the error's text, which may hold the customer's address. */
export function faultOf(error: unknown): MailFault {
  const fields: Record<string, unknown> = typeof error === 'object' && error !== null ? { ...error } : {};
  const { code, command, responseCode, response } = fields;
  return {
    code: typeof code === 'string' ? code : null,
    command: typeof command === 'string' ? command : null,
    responseCode: typeof responseCode === 'number' ? responseCode : null,
    isUnknownMailbox: typeof responseCode === 'number' && isUnknown(responseCode, command, response),
  };
}
