/** The texts of exports. */
export const EXPORTS = {
  title: 'Exports',
  intro:
    'A file of what you choose, for your books: the rows of the payments that were created on these days (UTC), the oldest first. It holds mail addresses of customers: keep it as such.',
  kind: 'What',
  kinds: { payments: 'Payments', transfers: 'Transfers', refunds: 'Refunds', ledger: 'Ledger' },
  format: 'Format',
  formats: { csv: 'CSV, for spreadsheets', ndjson: 'JSON lines, for programs' },
  from: 'From',
  to: 'Up to and including',
  currency: 'Values in',
  currencyHint: 'What each amount was worth when it moved; empty where no rate of that hour is known.',
  after: 'Go on behind',
  afterHint: 'After a download that broke off: the last column of its last whole line.',
  submit: 'Download',
  auditTitle: 'Export the audit log',
  whole: 'The last line of a whole file begins with “end”, and counts the rows.',
  badDay: 'This is no day.',
  badOrder: 'The first day is behind the last.',
  badCursor: 'No row of this shop has this in its last column.',
  badChoice: 'There is no such choice.',
  busy: 'Other exports are still under way. Wait until one of them has ended.',
} as const;
