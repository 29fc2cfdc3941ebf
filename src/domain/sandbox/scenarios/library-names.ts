/** The names of the library's scenarios. */
export const LIBRARY_NAMES = [
  'paid',
  'paid-in-two-parts',
  'underpaid-and-expired',
  'overpaid',
  'late-honoured',
  'late-refunded',
  'late-after-partial',
  'reorganised',
  'replaced',
  'conversion-failed',
  'refunded-in-full',
  'refunded-in-part',
  'webhook-endpoint-down-for-a-day',
  'webhooks-twice-and-out-of-order',
] as const;
export type LibraryName = (typeof LIBRARY_NAMES)[number];
