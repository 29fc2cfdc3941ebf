import { readMail, type ReadMail } from './mime.ts';
import { startMailServer, type MailServer } from './mail-server.ts';
import { openShop, type Shop } from './shop.ts';
import { createHarness, type Harness } from './harness.ts';
import { run, sql } from '../../src/platform/postgres/db.ts';

export const CUSTOMER = 'ann@customer.example';

/** A shop whose customers get receipts from a real mail server in this process. */
export interface ReceiptScene {
  readonly harness: Harness;
  readonly shop: Shop;
  readonly server: MailServer;
  /** Creates a payment with the customer's address through the API, and settles it; returns its id. */
  settle(body?: Parameters<Shop['create']>[0]): Promise<string>;
  /** The accepted mails, as their readers see them. */
  mails(): ReadMail[];
  /** The scheduled jobs of receipts. */
  due(): Promise<{ key: string; run_at: Date }[]>;
  close(): Promise<void>;
}

const dueReceipts = sql<{ key: string; run_at: Date }>(
  'test_due_receipts',
  `SELECT key, run_at FROM scheduled_jobs WHERE job = 'receipt.send' ORDER BY run_at`,
);

export async function openReceiptScene(env: Record<string, string> = {}): Promise<ReceiptScene> {
  const server = await startMailServer();
  const harness = await createHarness({
    SMTP_URL: server.url,
    MAIL_FROM: 'Payments <pay@service.example>',
    PUBLIC_URL: 'https://pay.example',
    ...env,
  });
  const shop = await openShop(harness);
  return {
    harness,
    shop,
    server,
    async settle(body = {}) {
      const { body: created } = await harness
        .api('post', '/v1/payment')
        .send({ pay_amount: '10.50', order_id: 'order-1', customer_email: CUSTOMER, ...body })
        .expect(201);
      const id = String(created.id);
      await shop.pay(id);
      await harness.work();
      await shop.mine(12);
      return id;
    },
    mails: () => server.mails.map(({ source }) => readMail(source)),
    due: () => run(harness.ctx.db, dueReceipts, []),
    async close() {
      await harness.close();
      await server.close();
    },
  };
}
