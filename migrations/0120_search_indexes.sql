-- By what the desk finds payments, beside what has an index: order ids and mail addresses whole or by how they begin, the
-- transactions of refunds, and the entries of the audit log of a payment. Built without locking writes; what an interrupted
-- build left behind is dropped first. Letters are compared as ASCII in lower case, so that no collation matters.

-- migrate:up transaction:false
DROP INDEX CONCURRENTLY IF EXISTS payments_by_order_folded;
CREATE INDEX CONCURRENTLY payments_by_order_folded ON payments (merchant_id, lower(order_id COLLATE "C"), id);
DROP INDEX CONCURRENTLY IF EXISTS payments_by_email;
CREATE INDEX CONCURRENTLY payments_by_email ON payments (merchant_id, lower(customer_email COLLATE "C"), id)
  WHERE customer_email IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS refunds_by_transaction;
CREATE INDEX CONCURRENTLY refunds_by_transaction ON refunds (tx_hash) WHERE tx_hash IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS operator_actions_of_payments;
CREATE INDEX CONCURRENTLY operator_actions_of_payments ON operator_actions (merchant_id, (details->>'payment_id'), number)
  WHERE details->>'payment_id' IS NOT NULL;
CALL fill_payment_terms();

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS operator_actions_of_payments;
DROP INDEX CONCURRENTLY IF EXISTS refunds_by_transaction;
DROP INDEX CONCURRENTLY IF EXISTS payments_by_email;
DROP INDEX CONCURRENTLY IF EXISTS payments_by_order_folded;
