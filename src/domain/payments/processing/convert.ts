import type { Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import { planConversion } from '../conversions/plan.ts';
import {
  beginConversions,
  readLastNumbers,
  readPendingConversions,
  type ConversionResult,
  type ConversionRow,
} from '../conversions/store.ts';
import type { ConversionOutcome } from '../conversions/states.ts';
import type { Payment } from '../lifecycle/payment.ts';
import type { CurrencyExchange } from '../lifecycle/ports.ts';
import { converts, sells } from '../lifecycle/settlement.ts';
import { isConverted } from '../lifecycle/states.ts';
import { lockSyncedPayments } from '../lifecycle/store.ts';
import { isLostSale, openSales, type EndedSale } from '../sales/settled.ts';
import { readTransfersByPayment } from '../transfers/store.ts';

/** A conversion to ask an exchange for. */
export interface Begun {
  readonly payment: Payment;
  readonly conversion: ConversionRow;
}

/**
 * Commits the confirmed money to conversions, and returns the payments that it locked, without those whose
 * transfers are quarantined, and every conversion of them to ask an exchange for: also of a payment that has
 * left PROCESSING since a run that crashed, or nobody could move its committed coins. A conversion that is
 * stored may have been asked for, so it is never given up: when its money is not confirmed any more, it waits
 * until that is mined again or lost, and is asked for again, for only the exchange knows what it did.
 */
export async function begin(
  tx: Tx,
  asked: readonly string[],
  now: Date,
): Promise<{ ids: string[]; begun: Begun[] }> {
  const [payments, transfersOf, last] = await pipelined(
    tx,
    () => lockSyncedPayments(tx, asked),
    () => readTransfersByPayment(tx, asked),
    () => readLastNumbers(tx, asked),
  );
  const ids = payments.map(({ id }) => id);
  await beginConversions(
    tx,
    payments
      .filter(({ status }) => isConverted(status))
      .flatMap((payment) => [...planConversion(payment, transfersOf.get(payment.id) ?? []).convert]),
    last,
    now,
  );
  const pending = await readPendingConversions(tx, ids);
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  const begun = pending.flatMap((conversion) => {
    const payment = byId.get(conversion.payment_id);
    return payment === undefined || !conversion.is_decided ? [] : [{ payment, conversion }];
  });
  await openSales(
    tx,
    begun.filter(({ payment }) => sells(payment)),
    now,
  );
  return { ids, begun };
}

/**
 * Asks the exchange for conversions; the same one always under the same reference, with the same amounts. In
 * a mode that does not convert, confirmed money is the merchant's already: nobody is asked. What is sold is
 * converted once its sale has ended: a job of its own asks the exchange, and schedules the settlement.
 */
export async function convert(
  begun: readonly Begun[],
  exchange: CurrencyExchange,
  sales: ReadonlyMap<string, readonly EndedSale[]>,
): Promise<ConversionResult[]> {
  const results = begun.map(async ({ payment, conversion }) => {
    if (sells(payment)) {
      const ended = sales.get(payment.id)?.find(({ number }) => number === conversion.number);
      if (ended === undefined) return [];
      return [{ conversion, outcome: isLostSale(ended) ? ('refused' as const) : ('converted' as const) }];
    }
    return [
      { conversion, outcome: converts(payment) ? await ask(payment, conversion, exchange) : 'converted' },
    ];
  });
  return (await Promise.all(results)).flat();
}

function ask(
  payment: Payment,
  { number, coin, network, amount, credit }: ConversionRow,
  exchange: CurrencyExchange,
): Promise<ConversionOutcome> {
  return exchange.convert({
    reference: `${payment.id}/${number}`,
    paid: amount,
    paidCurrency: coin,
    paidNetwork: network,
    settled: credit,
    settledCurrency: payment.pay_currency,
  });
}
