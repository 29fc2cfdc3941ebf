import { through, ofPayment, ofRefund, ofTill, ofPerson, ofTestClock, OWNER_OF_JOB } from './owners.ts';

/** A table with rows of merchants. */
export interface MerchantTable {
  readonly name: string;
  /**
   * The column with the merchant's id, or SQL: whether a row `t` is the merchant's, who is a parameter or a
   * literal.
   */
  readonly isOf: 'merchant_id' | 'id' | ((merchant: string) => string);
  /** SQL: the order in which rows are inserted, where the target numbers them. */
  readonly order?: string;
  /**
   * Columns that the target fills itself, by an identity, a default or a trigger: neither copied nor
   * compared.
   */
  readonly assigned?: readonly string[];
  /** SQL: what is inserted instead of a column's value; these are not compared. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Its rows are written by triggers of other tables: they are compared, and not copied. */
  readonly isDerived?: true;
  /**
   * What is refused while the merchant is moved. `late`: as `all`, once no job is under way, because jobs
   * write here what has happened outside. `insert`: sets of several merchants' rows are updated in one
   * statement, which must not fail for the others. `none`: likewise, and what is written after the copy is
   * written again in the target, or is lost on purpose.
   */
  readonly refuses: 'all' | 'late' | 'insert' | 'none';
  /**
   * Columns that are written beside requests, reads too: what updates no others is not refused. Values that
   * come behind the copy are lost, so these are not compared.
   */
  readonly bookkeeping?: readonly string[];
  /** SQL: whether a row `r` that comes is in the target already, where it stays as it is. */
  readonly isKnown?: string;
  /** Rows of people, who may belong to other merchants as well: they are neither compared nor deleted. */
  readonly isShared?: true;
  /**
   * Its rows stay in the source for good: whoever still comes there is refused, and the audit log is
   * append-only.
   */
  readonly stays?: true;
}

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

/**
 * Every table with rows of merchants, each behind those that it refers to: in this order they are copied, and
 * in the other one deleted. The tables that are missing here are the cell's; a test asks the catalogue for
 * both.
 */
export const MERCHANT_TABLES: readonly MerchantTable[] = [
  { name: 'merchants', isOf: 'id', refuses: 'all', stays: true },
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
  { name: 'tills', isOf: 'merchant_id', refuses: 'all' },
  ...each(ofTill, 'all', 'till_devices', 'till_sales', 'till_closes'),
  { name: 'payments', isOf: 'merchant_id', refuses: 'all' },
  { name: 'payment_terms', isOf: 'merchant_id', refuses: 'none', isDerived: true },
  { name: 'quotes', isOf: ofPayment, refuses: 'all' },
  {
    name: 'transfers',
    isOf: ofPayment,
    order: 't.place',
    assigned: ['place'],
    instead: { block_height: 't.block_height', block_hash: 't.block_hash' }, // of simulated chains: numbers.ts
    refuses: 'all',
  },
  {
    name: 'unapplied_transfers',
    isOf: ofPayment,
    order: 't.place',
    assigned: ['place', 'merchant_id'],
    refuses: 'none',
  },
  ...each(ofPayment, 'late', 'conversions', 'sales', 'sale_orders'),
  { name: 'refunds', isOf: ofPayment, order: 't.place', assigned: ['place', 'merchant_id'], refuses: 'all' },
  { name: 'refund_parts', isOf: ofPayment, refuses: 'all' },
  { name: 'refund_addresses', isOf: ofPayment, refuses: 'late' },
  { name: 'refund_requests', isOf: ofRefund, refuses: 'late' },
  ...each(ofRefund, 'all', 'refund_psbts', 'refund_coins'),
  { name: 'withdrawn_coins', isOf: ofPayment, refuses: 'all' },
  { name: 'payout_transfers', isOf: ofRefund, refuses: 'none' },
  { name: 'balance_audits', isOf: ofPayment, refuses: 'none' },
  {
    name: 'awaited_transactions',
    isOf: ofPayment,
    // Watchers of both cells look for them, whatever moves.
    instead: { looked_up_at: 't.looked_up_at', sender: 't.sender', nonce: 't.nonce', is_lost: 't.is_lost' },
    refuses: 'all',
  },
  { name: 'announced_transactions', isOf: ofPayment, refuses: 'all' },
  ...each(ofPayment, 'none', 'flush_looks', 'flushed_deposits'),
  ...each(ofPayment, 'all', 'further_deposits', 'scenario_runs'),
  { name: 'ledger_entries', isOf: ofPayment, order: 't.id', assigned: ['id'], refuses: 'all' },
  ...each(ofPayment, 'late', 'receipts', 'address_requests'),
  ...each('merchant_id', 'late', 'webhook_endpoints', 'deliveries'),
  { name: 'delivery_attempts', isOf: through('deliveries', 'id', 'delivery_id'), refuses: 'late' },
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

/** SQL: whether a row `t` of a table is the merchant's. */
export function isOf({ isOf: condition }: MerchantTable, merchant: string): string {
  return typeof condition === 'string' ? `t.${condition} = ${merchant}` : condition(merchant);
}
