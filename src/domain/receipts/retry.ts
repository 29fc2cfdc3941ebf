/** Delays after failed attempts: over them lie almost three days, in which a mail server is mended, or nobody waits any more. */
const RETRY_SECONDS = [10, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400] as const;

/** What the mail server, or the way to it, said. */
export interface MailFault {
  /** As nodemailer names it: EENVELOPE, ETIMEDOUT, ... */
  readonly code: string | null;
  /** The SMTP command that was answered so. */
  readonly command: string | null;
  readonly responseCode: number | null;
}

/** Seconds until a receipt is tried again after its `attempts`-th attempt; null: it is given up. */
export function retryAfter(attempts: number, fault: MailFault): number | null {
  if (isForGood(fault)) return null;
  return RETRY_SECONDS[attempts - 1] ?? null;
}

/**
 * True for a refusal of this recipient or this mail that will not change. One of the sender or the password concerns every mail, and is
 * the operator's to mend: what waits meanwhile is tried again.
 */
function isForGood({ code, command, responseCode }: MailFault): boolean {
  if (responseCode === null) return code === 'EENVELOPE';
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}

/** What can be told of a failed sending without the text, which may hold the customer's address. */
export function faultOf(error: unknown): MailFault {
  const fields: Record<string, unknown> = typeof error === 'object' && error !== null ? { ...error } : {};
  const { code, command, responseCode } = fields;
  return {
    code: typeof code === 'string' ? code : null,
    command: typeof command === 'string' ? command : null,
    responseCode: typeof responseCode === 'number' ? responseCode : null,
  };
}
