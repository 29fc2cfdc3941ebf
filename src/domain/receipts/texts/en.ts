/** What receipts say, in English. Every other language has the same keys and, in any order, the same `{parts}`. */
export const en = {
  paidSubject: 'Receipt from {merchant}: order {order}',
  refundedSubject: 'Refund from {merchant}: order {order}',
  partSubject: 'Partial refund from {merchant}: order {order}',
  testMark: 'TEST',
  testText: 'This is a test. No real money was moved.',

  paidTitle: 'Paid. Thank you!',
  paidText: '{merchant} has your payment of {amount}.',
  refundedTitle: 'Your money was sent back',
  partTitle: 'Part of your money was sent back',
  refundedText: '{merchant} has sent back {amount}.',

  order: 'Order',
  description: 'Description',
  total: 'Total',
  paid: 'Paid',
  sentBack: 'Sent back',
  sentBackSoFar: 'Sent back so far',
  network: 'Network',
  time: 'Time',
  sentTo: 'Sent to',
  transaction: 'Transaction',
  payment: 'Payment ID',

  toPage: 'See this payment',
  contact: 'Questions about your order? Please contact {merchant}.',
  automatic: 'This mail was sent automatically; answers to it are not read.',
};

export type ReceiptTexts = Readonly<Record<keyof typeof en, string>>;
