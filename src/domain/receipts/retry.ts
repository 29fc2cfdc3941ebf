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
}

/** Seconds between the `attempts`-th attempt and the next; null: give up. */
export function retryAfter(attempts: number, fault: MailFault): number | null {
  if (isPermanent(fault)) return null;
  return RETRY_SECONDS[attempts - 1] ?? null;
}

/**
 * True for a permanent refusal of this recipient or this mail. A refusal of the sender or the password
 * concerns every mail, and operators can repair it: receipts are retried meanwhile.
 */
function isPermanent({ code, command, responseCode }: MailFault): boolean {
  if (responseCode === null) return code === 'EENVELOPE';
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}

/** What may be logged of a failed attempt: not the error's text, which may hold the customer's address. */
export function faultOf(error: unknown): MailFault {
  const fields: Record<string, unknown> = typeof error === 'object' && error !== null ? { ...error } : {};
  const { code, command, responseCode } = fields;
  return {
    code: typeof code === 'string' ? code : null,
    command: typeof command === 'string' ? command : null,
    responseCode: typeof responseCode === 'number' ? responseCode : null,
  };
}
