import { createPayment, type Payment } from './http.ts';
import type { Harness } from './harness.ts';

export const LINKS = {
  success_url: 'https://shop.example/thanks?from=pay&x=%20y',
  cancel_url: 'https://shop.example/cart',
};

const SEEN = { status: 'PENDING', amount_received: '10.50', fully_funded: true, tx_hash: 'a' };

const SETTLED = {
  ...SEEN,
  status: 'SETTLED',
  confirmations: 12,
  settled_at: new Date('2026-01-31T12:10:00.000Z'),
  actually_paid: '10.50',
  actually_paid_currency: 'USDC',
};

/** Every state of the page, with the columns of a payment in that state. */
export const CHECKOUT_STATES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  waiting: {},
  sent: {},
  underpaid: { status: 'PENDING', amount_received: '4', exceptions: ['underpaid'] },
  seen: SEEN,
  confirming: { ...SEEN, confirmations: 3, exceptions: ['reorged'] },
  overpaid: { ...SEEN, amount_received: '12', confirmations: 3, exceptions: ['overpaid'] },
  late: { ...SEEN, confirmations: 11, exceptions: ['late'] },
  converting: { ...SEEN, status: 'PROCESSING', confirmations: 12 },
  settled: SETTLED,
  'refunded-in-part': {
    ...SETTLED,
    amount_received: '12',
    amount_refunded: '1.50',
    exceptions: ['overpaid'],
  },
  expired: { status: 'EXPIRED' },
  cancelled: { status: 'EXPIRED', cancelled_at: new Date('2026-01-31T12:00:00.000Z') },
  'expired-partly': { status: 'EXPIRED', amount_received: '4', exceptions: ['underpaid'] },
  'late-returned': { status: 'EXPIRED', amount_received: '10.50', exceptions: ['late'] },
  failed: { ...SEEN, status: 'FAILED' },
  replaced: { ...SEEN, status: 'FAILED', amount_received: '0', exceptions: ['replaced'] },
  refunded: { ...SEEN, status: 'REFUNDED', amount_refunded: '10.50' },
};

/** As a wallet's transaction is named to the page. */
export const SENT_HASH = `0x${'5e'.repeat(32)}`;

/** A new payment in a state of the page. Its columns are set directly: no worker takes part. */
export async function paymentIn(harness: Harness, state: string, fields: object = {}): Promise<Payment> {
  const policy = state === 'late-returned' ? { policy: { late: 'refund' } } : {};
  const payment = await createPayment(harness, {
    order_description: 'Two shirts, size M',
    ...LINKS,
    ...policy,
    ...fields,
  });
  await setColumns(harness, payment.id, CHECKOUT_STATES[state] ?? {});
  if (state === 'sent')
    await harness.ctx
      .db('announced_transactions')
      .insert({ payment_id: payment.id, network: 'ethereum', tx_hash: SENT_HASH });
  return payment;
}

/** Changes columns of a payment, and its `sequence` as a transition would. */
export async function setColumns(
  harness: Harness,
  id: string,
  columns: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  await harness.ctx
    .db('payments')
    .where({ id })
    .update({ ...columns, sequence: 2 });
}

/** The first address that a page shows, without the elements that group it. */
export function addressIn(text: string): string {
  const [, groups = ''] = /<code [^>]*class="copy address"[^>]*>(.*?)<\/code>/s.exec(text) ?? [];
  return groups.replaceAll(/<[^>]+>|\s/g, '');
}
