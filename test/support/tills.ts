import { createPairing } from '../../src/domain/tills/devices.ts';
import { createTill, findTill } from '../../src/domain/tills/store.ts';
import type { NewTill } from '../../src/domain/tills/store.ts';
import type { Till } from '../../src/domain/tills/till.ts';
import { hiddenField, openBrowser, type DeskAnswer, type DeskBrowser } from './desk.ts';
import type { Harness } from './harness.ts';

export const PIN = '274953';

const BY = { kind: 'command', actor: 'test', address: null } as const;

/** Makes a till past the desk, by default in euros. */
export async function makeTill(harness: Harness, fields: Partial<NewTill> = {}): Promise<Till> {
  const merchantId = fields.merchantId ?? harness.merchant.id;
  const made = await createTill(
    harness.ctx,
    { merchantId, name: 'Counter 1', priceCurrency: 'EUR', methods: null, pin: PIN, ...fields },
    BY,
  );
  if (typeof made === 'string') throw new Error(made);
  const till = await findTill(harness.ctx.db, merchantId, made.id);
  if (till === null) throw new Error('the till was not made');
  return till;
}

/** The path of a new link of a till. */
export async function pairingOf(harness: Harness, till: Till, name = 'Tablet'): Promise<string> {
  const made = await createPairing(harness.ctx, till, name, BY);
  if (typeof made === 'string') throw new Error(made);
  return `/till/pair/${made.token}`;
}

/** A browser that is a till. */
export interface TillBrowser extends DeskBrowser {
  /** Types an amount, as the form of the first page posts it; returns the response. */
  readonly sell: (amount: string, nonce?: string) => Promise<DeskAnswer>;
}

/** Pairs a browser, without its PIN. */
export async function pairBrowser(harness: Harness, till: Till, name?: string): Promise<TillBrowser> {
  const browser = openBrowser(harness);
  await browser.post(await pairingOf(harness, till, name));
  return {
    ...browser,
    sell: async (amount, nonce) =>
      browser.post('/till/sales', {
        amount,
        nonce: nonce ?? hiddenField((await browser.get('/till')).text, 'nonce'),
      }),
  };
}

/** Pairs a browser, and opens it by the PIN. */
export async function openTillBrowser(harness: Harness, till: Till, name?: string): Promise<TillBrowser> {
  const browser = await pairBrowser(harness, till, name);
  await browser.post('/till/open', { pin: PIN });
  return browser;
}

/** The payments of a till's sales, in their order. */
export async function paymentsOf(harness: Harness, till: Pick<Till, 'id'>): Promise<string[]> {
  const rows = await harness.ctx
    .db<{ till_id: string; number: number; payment_id: string | null }>('till_sales')
    .where({ till_id: till.id })
    .orderBy('number');
  return rows.flatMap(({ payment_id }) => payment_id ?? []);
}
