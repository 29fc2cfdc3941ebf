/** OPEN: a job works on it. HELD: it waits for a person. ENDED: what it sold and kept is known. */
export type SaleStatus = 'OPEN' | 'HELD' | 'ENDED';
export const OPEN: SaleStatus = 'OPEN';
export const HELD: SaleStatus = 'HELD';

/** SENT: the exchange may have taken it. ENDED: it did, and nothing more is sold by it. VOID: it did not. */
export type OrderStatus = 'SENT' | 'ENDED' | 'VOID';

export const isHeld = (status: SaleStatus): boolean => status === 'HELD';

/** True for an order that has to be looked up before anything else is done. */
export const isInDoubt = (status: OrderStatus): boolean => status === 'SENT';

/** SQL: the sale in the row `s` has not ended; the predicate of the index sales_unsold. */
export const IS_UNSOLD = (s: string): string => `${s}.status <> 'ENDED'`;

/** SQL: the sale in the row `s` waits for a person. */
export const IS_HELD_SALE = (s: string): string => `${s}.status = 'HELD'`;

/** SQL: a job works on the sale in the row `s`. */
export const IS_OPEN_SALE = (s: string): string => `${s}.status = 'OPEN'`;

/** SQL: the order in the row `o` may have been taken, and its end is not known. */
export const IS_IN_DOUBT = (o: string): string => `${o}.status = 'SENT'`;
