/** NEEDS_ADDRESS: it waits until the customer says, on the checkout page, where the money goes. */
export const REFUND_STATUSES = ['NEEDS_ADDRESS', 'PENDING', 'COMPLETED'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** Returns the status of a refund that is accepted. */
export function acceptedStatus(address: string | null): RefundStatus {
  return address === null ? 'NEEDS_ADDRESS' : 'PENDING';
}

/** True for a refund that has an address and is not paid out. */
export const isPending = (status: RefundStatus): boolean => status === 'PENDING';

/** SQL: the refund in the row `r` waits for an address. */
export const NEEDS_ADDRESS = (r: string): string => `${r}.status = 'NEEDS_ADDRESS'`;

/** SQL: the refund in the row `r` has an address and is not paid out. */
export const IS_PENDING = (r: string): string => `${r}.status = 'PENDING'`;

/** SQL: the refund in the row `r` is paid out. */
export const IS_COMPLETED = (r: string): string => `${r}.status = 'COMPLETED'`;

/** SQL: the refund in the row `r` is not paid out. */
export const IS_OPEN = (r: string): string => `${r}.status <> 'COMPLETED'`;
