import { isSameAddress } from '../../chain/addresses.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import type { Mode } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { isStanding, type PaymentTransfer } from '../transfers/payment-transfer.ts';

/** What a request says about the address of a refund. */
export interface AskedDestination {
  readonly address?: string | undefined;
  /** The merchant says that the sender's address can take the money. */
  readonly toSender?: boolean | undefined;
}

const givenDestination = sql<
  { mode: Mode; address: string | null },
  { paymentId: string; network: NetworkId }
>(
  'refund_destination',
  (p) => `
    SELECT m.mode, a.address
    FROM payments p
      JOIN merchants m ON m.id = p.merchant_id
      LEFT JOIN refund_addresses a ON a.payment_id = p.id AND a.network = ${p.network}
    WHERE p.id = ${p.paymentId}`,
);

/**
 * Returns the address to which money of a coin on a network goes back; null: nobody has said it. In this
 * order: the request's, the one that the customer gave on the page, and the sender's, when the payment is a
 * test or the merchant says so: an exchange's address, from which many customers pay, loses what is sent to
 * it. Throws ApiError refund_not_allowed where the merchant says so and another address was given: neither
 * overrules the other in silence.
 */
export async function destinationOf(
  connection: Connection,
  payment: Payment,
  { coin, network }: { coin: CoinId; network: NetworkId },
  transfers: readonly PaymentTransfer[],
  asked: AskedDestination,
): Promise<string | null> {
  const given = await runOne(connection, givenDestination, { paymentId: payment.id, network });
  if (given === null) throw new Error(`payment ${payment.id} does not exist`);
  const address = asked.address ?? given.address;
  const sender = onlySender(transfers, coin, network);
  if (address === null) return given.mode === 'test' || asked.toSender === true ? sender : null;
  if (asked.toSender === true && !(sender !== null && isSameAddress(network, address, sender)))
    throw new ApiError('refund_not_allowed', { message: otherAddress(asked, network, address) });
  return address;
}

function otherAddress(asked: AskedDestination, network: NetworkId, address: string): string {
  if (asked.address !== undefined)
    return `to_sender and the address ${address} do not agree: send one of them. Nothing was refunded.`;
  return (
    `The customer gave another address on ${network} than the sender's: ${address}. Nothing was refunded. ` +
    'Refund without to_sender to send the money there, or clear it first: ' +
    'DELETE /v1/payment/:id/refund-address.'
  );
}

/**
 * Returns the address that all money came from, in this coin and on this network; null when it is not one.
 */
function onlySender(transfers: readonly PaymentTransfer[], coin: CoinId, network: NetworkId): string | null {
  const standing = transfers.filter(isStanding);
  const [first] = standing;
  const isOne = standing.every(
    (one) => one.coin === coin && one.network === network && one.sender === first?.sender,
  );
  return isOne ? (first?.sender ?? null) : null;
}
