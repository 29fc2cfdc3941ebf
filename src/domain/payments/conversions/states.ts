/** How the exchange ended a conversion. */
export type ConversionOutcome = 'converted' | 'refused';

/** The status of a conversion that has begun: an exchange may have been asked. */
export const BEGUN = 'PENDING';

/** Returns the status of a conversion with an outcome. */
export const endedStatus = (outcome: ConversionOutcome): string => outcome.toUpperCase();

/** SQL: the conversion in the row `c` has no outcome. */
export const IS_BEGUN = (c: string): string => `${c}.status = '${BEGUN}'`;

/** SQL: the conversion in the row `c` happened. */
export const IS_CONVERTED = (c: string): string => `${c}.status = 'CONVERTED'`;

/** SQL: the exchange refused the conversion in the row `c`. */
export const IS_REFUSED = (c: string): string => `${c}.status = 'REFUSED'`;

/** SQL: the conversion in the row `c` has taken coins, or may have. */
export const TAKES_COINS = (c: string): string => `(${IS_BEGUN(c)} OR ${IS_CONVERTED(c)})`;
