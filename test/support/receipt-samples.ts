import type { ReceiptData } from '../../src/domain/receipts/template.ts';

const COMMON = {
  merchantName: 'Shop',
  isTest: false,
  paymentId: 'pay_01M7X9Y9E5YM9A1356S2WPNB4R',
  orderId: 'order-1',
  description: 'Two shirts, size M',
  total: '10.50 USDC',
  price: null,
  at: new Date('2026-01-31T12:02:24.000Z'),
  pageUrl: 'https://pay.example/checkout/J1BhJLs6IBBTkGV9eQ8lLrSvfX8JiBYg',
  networks: ['Ethereum'],
  supportUrl: null,
  replyTo: null,
  logo: null,
  transactions: [{ hash: '0x9f2b4c6d8e0a1b3c5d7e9f0a2b4c6d8e0a1b3c5d7e9f0a2b4c6d8e0a1b3c5d7e', url: null }],
};

export const PAID: ReceiptData = { ...COMMON, kind: 'paid', paid: '10.50 USDC' };

export const PART: ReceiptData = {
  ...COMMON,
  kind: 'refundedInPart',
  sentBack: '4 USDC',
  sentAs: '0.00123456 ETH',
  sentBackSoFar: '6 USDC',
  sentTo: '0x52908400098527886E0F7030069857D2E4169EE7',
};

/** Asks for the rest while the payment is open. */
export const INCOMPLETE: ReceiptData = {
  ...COMMON,
  kind: 'incomplete',
  came: '4.00 USDC',
  missing: '6.50 USDC',
  until: new Date('2026-01-31T13:00:00.000Z'),
  back: ['3.00 USDC', '0.00033 ETH'],
  transactions: [],
};

/** Tell that money does not pay for the order. */
export const TOO_LITTLE: ReceiptData = {
  ...COMMON,
  kind: 'tooLittle',
  came: '4.00 USDC',
  received: '4.00 USDC',
  sentBack: null,
  isReturned: false,
  networks: [],
  transactions: [],
};

export const TOO_LATE: ReceiptData = {
  ...TOO_LITTLE,
  kind: 'tooLate',
  came: '0.00123456 ETH',
  sentBack: '4.00 USDC',
  isReturned: true,
};

/** Asks for the address that a refund waits for. */
export const ASKED: ReceiptData = { ...COMMON, kind: 'asked', goesBack: '4.00 USDC', transactions: [] };

/** Tells that an address was given. */
export const GIVEN: ReceiptData = {
  ...COMMON,
  kind: 'given',
  goesBackTo: '0x52908400098527886E0F7030069857D2E4169EE7',
  transactions: [],
};
