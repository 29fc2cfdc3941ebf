/**
 * NEEDS_ADDRESS: it waits until the customer says, on the checkout page, where the money goes. PENDING: the
 * service is about to send it. The next three are of live payments, which the merchant pays from a wallet of
 * their own; a final transfer on the chain completes them. AWAITING_SIGNATURE: nothing is known to be sent.
 * SENT: a transaction is named, by the merchant or by the watcher. HELD: a final transfer fits it, and
 * something contradicts; a person must look before anybody pays again. Or the coins that it sends back are
 * not confirmed any more.
 */
export const REFUND_STATUSES = [
  'NEEDS_ADDRESS',
  'PENDING',
  'AWAITING_SIGNATURE',
  'SENT',
  'HELD',
  'COMPLETED',
] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

const AWAITED: readonly RefundStatus[] = ['AWAITING_SIGNATURE', 'SENT', 'HELD'];
const UNDERWAY: readonly RefundStatus[] = ['PENDING', ...AWAITED];

/** Returns the status of a refund that is accepted; `isSigned`: the merchant pays it. */
export function acceptedStatus(address: string | null, isSigned: boolean): RefundStatus {
  if (address === null) return 'NEEDS_ADDRESS';
  return isSigned ? 'AWAITING_SIGNATURE' : 'PENDING';
}

/** True for a refund that the service is about to send. */
export const isPending = (status: RefundStatus): boolean => status === 'PENDING';

/** True for a refund that a transfer on the chain completes. */
export const isAwaited = (status: RefundStatus): boolean => AWAITED.includes(status);

/** True for one of them of which nothing is known to be sent. */
export const isUnsigned = (status: RefundStatus): boolean => status === 'AWAITING_SIGNATURE';

/** True for one of them that waits for a person. */
export const isHeld = (status: RefundStatus): boolean => status === 'HELD';

/** True for one of them that names a transaction, and waits for it. */
export const isSent = (status: RefundStatus): boolean => status === 'SENT';

/** True for a refund that is paid out. */
export const isCompleted = (status: RefundStatus): boolean => status === 'COMPLETED';

const among = (r: string, statuses: readonly RefundStatus[]): string =>
  `${r}.status IN (${statuses.map((status) => `'${status}'`).join(', ')})`;

/** SQL: the refund in the row `r` waits for an address. */
export const NEEDS_ADDRESS = (r: string): string => `${r}.status = 'NEEDS_ADDRESS'`;

/** SQL: the refund in the row `r` is about to be sent by the service. */
export const IS_PENDING = (r: string): string => `${r}.status = 'PENDING'`;

/** SQL: the refund in the row `r` is completed by a transfer on the chain. Index: refunds_awaited. */
export const IS_AWAITED = (r: string): string => among(r, AWAITED);

/** SQL: the refund in the row `r` is one of those, and nothing is known to be sent. */
export const IS_UNSIGNED = (r: string): string => `${r}.status = 'AWAITING_SIGNATURE'`;

/** SQL: the refund in the row `r` names a transaction, and waits for it. */
export const IS_SENT = (r: string): string => `${r}.status = 'SENT'`;

/** SQL: the refund in the row `r` waits for a person. */
export const IS_HELD = (r: string): string => `${r}.status = 'HELD'`;

/** SQL: the refund in the row `r` has an address and is not paid out. */
export const IS_UNDERWAY = (r: string): string => among(r, UNDERWAY);

/** SQL: the refund in the row `r` is paid out. */
export const IS_COMPLETED = (r: string): string => `${r}.status = 'COMPLETED'`;

/** SQL: the refund in the row `r` is not paid out. */
export const IS_OPEN = (r: string): string => `${r}.status <> 'COMPLETED'`;
