import {
  ofPayment,
  ofPerson,
  ofRefund,
  ofTestClock,
  ofTill,
  ON_PAYMENT,
  ON_REFUND,
  OWNER_OF_JOB,
  through,
} from './owners.ts';
import type { MerchantTable, PaymentTable } from './table.ts';

const KNOWN = (person: string) => `r.${person} IN (SELECT id FROM known_people)`;
const OF_PERSON = {
  isOf: ofPerson,
  refuses: 'none',
  isShared: true,
  isKnown: KNOWN('person_id'),
} as const;

const each = (
  isOf: MerchantTable['isOf'],
  refuses: MerchantTable['refuses'],
  ...names: string[]
): MerchantTable[] => names.map((name) => ({ name, isOf, refuses }));
const eachOf = (
  owner: Pick<MerchantTable, 'isOf' | 'hangs'>,
  refuses: MerchantTable['refuses'],
  ...names: string[]
): MerchantTable[] => names.map((name) => ({ name, ...owner, refuses }));
const OF_PAYMENT = { isOf: ofPayment, hangs: ON_PAYMENT };
const OF_REFUND = { isOf: ofRefund, hangs: ON_REFUND };

/**
 * Every table with rows of merchants, each behind those that it refers to: in this order they are copied, and
 * in the other one deleted. The tables that are missing here are the cell's; a test asks the catalogue for
 * both.
 */
export const MERCHANT_TABLES: readonly MerchantTable[] = [
  { name: 'merchants', isOf: 'id', isParent: true, refuses: 'all', stays: true },
  { ...OF_PERSON, name: 'people', isOf: through('memberships', 'person_id', 'id'), isKnown: KNOWN('id') },
  { name: 'totp_factors', ...OF_PERSON },
  { name: 'recovery_codes', ...OF_PERSON },
  { name: 'passkeys', ...OF_PERSON },
  { name: 'known_devices', ...OF_PERSON },
  { name: 'memberships', isOf: 'merchant_id', refuses: 'all' },
  { name: 'payment_views', isOf: 'merchant_id', order: 't.id', assigned: ['id'], refuses: 'all' },
  { name: 'invitations', isOf: 'merchant_id', refuses: 'all' },
  // A key that is revoked behind the copy would live on in the target.
  { name: 'api_keys', isOf: 'merchant_id', refuses: 'all', bookkeeping: ['last_used_at'], stays: true },
  ...each('merchant_id', 'all', 'webhook_secrets', 'webhook_signing_keys', 'endpoint_registrations'),
  { name: 'endpoint_secrets', isOf: through('endpoint_registrations', 'id', 'endpoint_id'), refuses: 'all' },
  ...each('merchant_id', 'all', 'merchant_faces', 'mail_texts', 'sandbox_rates'),
  { name: 'exchange_accounts', isOf: 'merchant_id', refuses: 'late' },
  ...each('merchant_id', 'all', 'exchange_addresses', 'wallets', 'payment_links'),
  { name: 'link_holds', isOf: through('payment_links', 'id', 'link_id'), refuses: 'all' },
  { name: 'tills', isOf: 'merchant_id', isParent: true, refuses: 'all' },
  ...each(ofTill, 'all', 'till_devices', 'till_closes'),
  { name: 'till_sales', isOf: ofTill, hangs: ON_PAYMENT, refuses: 'all' },
  { name: 'payments', isOf: 'merchant_id', hangs: { by: 'id' }, refuses: 'all' },
  { name: 'payment_terms', isOf: 'merchant_id', hangs: ON_PAYMENT, refuses: 'none', isDerived: true },
  { name: 'quotes', ...OF_PAYMENT, refuses: 'all' },
  {
    name: 'transfers',
    ...OF_PAYMENT,
    order: 't.place',
    assigned: ['place'],
    instead: { block_height: 't.block_height', block_hash: 't.block_hash' }, // of simulated chains: numbers.ts
    refuses: 'all',
  },
  {
    name: 'unapplied_transfers',
    ...OF_PAYMENT,
    order: 't.place',
    assigned: ['place', 'merchant_id'],
    refuses: 'none',
  },
  ...eachOf(OF_PAYMENT, 'late', 'conversions', 'sales', 'sale_orders'),
  { name: 'refunds', ...OF_PAYMENT, order: 't.place', assigned: ['place', 'merchant_id'], refuses: 'all' },
  { name: 'refund_parts', ...OF_PAYMENT, refuses: 'all' },
  { name: 'refund_addresses', ...OF_PAYMENT, refuses: 'late' },
  { name: 'refund_requests', ...OF_REFUND, refuses: 'late' },
  ...eachOf(OF_REFUND, 'all', 'refund_psbts', 'refund_coins'),
  { name: 'withdrawn_coins', ...OF_PAYMENT, refuses: 'all' },
  { name: 'payout_transfers', ...OF_REFUND, refuses: 'none' },
  { name: 'balance_audits', ...OF_PAYMENT, refuses: 'none' },
  {
    name: 'awaited_transactions',
    ...OF_PAYMENT,
    // Watchers of both cells look for them, whatever moves.
    instead: { looked_up_at: 't.looked_up_at', sender: 't.sender', nonce: 't.nonce', is_lost: 't.is_lost' },
    refuses: 'all',
  },
  { name: 'announced_transactions', ...OF_PAYMENT, refuses: 'all' },
  ...eachOf(OF_PAYMENT, 'none', 'flush_looks', 'flushed_deposits'),
  ...eachOf(OF_PAYMENT, 'all', 'further_deposits', 'scenario_runs'),
  { name: 'ledger_entries', ...OF_PAYMENT, order: 't.id', assigned: ['id'], refuses: 'all' },
  ...eachOf(OF_PAYMENT, 'late', 'receipts', 'address_requests'),
  { name: 'webhook_endpoints', isOf: 'merchant_id', refuses: 'late' },
  { name: 'deliveries', isOf: 'merchant_id', hangs: ON_PAYMENT, refuses: 'late' },
  {
    name: 'delivery_attempts',
    isOf: through('deliveries', 'id', 'delivery_id'),
    hangs: { by: 'delivery_id', over: { table: 'deliveries', key: 'id' } },
    refuses: 'late',
  },
  { name: 'idempotency_keys', isOf: 'merchant_id', refuses: 'all' },
  {
    name: 'redelivery_requests',
    isOf: 'merchant_id',
    order: 't.txid, t.number',
    assigned: ['txid', 'number'],
    refuses: 'all',
  },
  { name: 'key_request_counts', isOf: 'merchant_id', refuses: 'none' },
  { name: 'key_request_errors', isOf: 'merchant_id', order: 't.id', assigned: ['id'], refuses: 'none' },
  { name: 'payment_counts', isOf: 'merchant_id', refuses: 'none' },
  // Its trigger numbers and chains each entry again, and comes to the same numbers and hashes: they are
  // compared.
  {
    name: 'operator_actions',
    isOf: 'merchant_id',
    order: 't.number',
    assigned: ['id'],
    isKnown: `r.number <= coalesce((SELECT number FROM audit_heads h WHERE h.merchant_id = r.merchant_id), 0)`,
    refuses: 'all',
    stays: true,
  },
  { name: 'audit_heads', isOf: 'merchant_id', refuses: 'none', isDerived: true, stays: true },
  { name: 'sim_heads', isOf: ofTestClock, refuses: 'none' },
  { name: 'chain_cursors', isOf: ofTestClock, refuses: 'none' },
  {
    // On a shared chain the heights and the order of changes are the cell's: numbers.ts.
    name: 'sim_transfers',
    isOf: (merchant) => `EXISTS (SELECT FROM quotes q JOIN payments o ON o.id = q.payment_id
     WHERE q.address = t.address AND o.merchant_id = ${merchant})`,
    hangs: { by: 'address', over: { table: 'quotes', key: 'address' } },
    instead: {
      block_height: 't.block_height',
      change: `CASE WHEN strpos(t.chain, '/') > 0 THEN t.change END`,
    },
    refuses: 'insert',
  },
  // The target's own order of the feed, in which each feed has the order that it had.
  {
    name: 'events',
    isOf: 'merchant_id',
    hangs: ON_PAYMENT,
    isReplaced: true,
    order: 't.txid, t.place',
    assigned: ['txid', 'place'],
    refuses: 'all',
  },
  // The place of the same event in the target: numbers.ts.
  {
    name: 'payment_count_positions',
    isOf: 'merchant_id',
    assigned: ['txid', 'place'],
    isDerived: true,
    refuses: 'none',
  },
  {
    name: 'scheduled_jobs',
    isOf: (merchant) => `coalesce(t.for_merchant, ${OWNER_OF_JOB}) = ${merchant}`,
    order: 't.place',
    assigned: ['place'],
    instead: { visible_at: `'infinity'`, leased_by: 'NULL' }, // released when the merchant goes on: hold-jobs.ts
    refuses: 'none',
  },
];

/** The tables to which those that hang on payments refer: a few rows. */
export const PARENTS = MERCHANT_TABLES.filter(({ isParent }) => isParent === true);

const hangs = (table: MerchantTable): table is PaymentTable => table.hangs !== undefined;

/** The tables whose rows hang on payments and are copied with them, in the same order. */
export const PAYMENT_TABLES = MERCHANT_TABLES.filter(hangs).filter(({ name }) => name !== 'events');

/** Of payments too, and copied in the order of the feed. */
export const EVENTS = MERCHANT_TABLES.filter(({ name }) => name === 'events');

/** The tables of which it is noted for which payments they are written: the others follow from them. */
export const NOTED_TABLES = MERCHANT_TABLES.filter(hangs).filter(({ isDerived }) => isDerived !== true);
