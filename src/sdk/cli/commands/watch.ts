import type { WebhookEvent } from '../../index.ts';
import type { PaymentStatus } from '../../client/index.ts';
import type { Command } from '../command/command.ts';
import { connect } from '../settings/connect.ts';

/** 40 requests a minute, of the 60 that the feed allows. */
const EVERY_MS = 1_500;
const GOOD: readonly PaymentStatus[] = ['SETTLED', 'REFUNDED'];
const FINAL: readonly PaymentStatus[] = [...GOOD, 'EXPIRED', 'FAILED'];

/** Follows the feed of one payment, which has its events in the order of their sequence. */
export const watchPayment: Command = {
  name: 'payments watch',
  summary: 'Follows a payment to its end. Exit code 1 when it expires or fails.',
  parameters: [{ name: 'ID' }],
  example: 'payments watch pay_...',
  async run(call) {
    const { terminal, output, words } = call;
    const { signal } = terminal;
    const client = connect(call);
    // The feed of a payment that does not exist is empty.
    const { id, status: first } = await client.payments.get(words[0] ?? '', { signal });
    let status = first;
    let after: string | undefined;
    for (;;) {
      const page = await client.events.list({ payment_id: id, limit: 100, after }, { signal });
      for (const event of page.data) {
        output.show(event, () => lineOf(event));
        status = event.data.checkout.status;
      }
      after = page.pagination.next_cursor ?? undefined;
      if (page.pagination.has_more) continue;
      if (FINAL.includes(status)) return GOOD.includes(status) ? 0 : 1;
      await terminal.sleep(EVERY_MS, signal);
    }
  },
};

function lineOf({ timestamp, type, data: { checkout, payment, refund, transfer } }: WebhookEvent): string {
  const money = refund ?? transfer;
  const seen =
    payment.txHash === null
      ? ''
      : `  ${payment.confirmations}/${payment.requiredConfirmations ?? 'final'} confirmed`;
  const moved = money === undefined ? '' : `  ${money.amount}`;
  return [`${timestamp}  ${checkout.status.padEnd(10)}  ${type}${seen}${moved}`, ...checkout.exceptions].join(
    '  ',
  );
}
