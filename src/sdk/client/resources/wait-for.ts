import { PaymentCheckoutError } from '../http/errors.ts';
import type { RequestOptions, Settings } from '../http/options.ts';
import type { Payment, PaymentStatus } from '../types/payments.ts';

const DEFAULT_WAIT_MS = 600_000;
/** A payment is read at most 120 times a minute (contract, "Endpoints"): this leaves room for others. */
const DEFAULT_INTERVAL_MS = 2_000;

/** What `payments.waitFor` takes last. */
export interface WaitOptions extends Pick<RequestOptions, 'signal'> {
  /** How long to wait at most, in milliseconds; default 10 minutes. */
  readonly timeoutMs?: number | undefined;
  /** How long to wait between two looks, in milliseconds; default 2,000. */
  readonly intervalMs?: number | undefined;
}

/** The statuses that a payment can have next (contract, "Status and transitions"). */
export const NEXT_STATUSES: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  WAITING: ['PENDING', 'EXPIRED'],
  PENDING: ['PROCESSING', 'EXPIRED', 'FAILED'],
  PROCESSING: ['PENDING', 'SETTLED', 'FAILED'],
  SETTLED: ['REFUNDED'],
  EXPIRED: ['PENDING', 'REFUNDED'],
  FAILED: ['REFUNDED'],
  REFUNDED: [],
};

/** The payment, as it is, cannot get any of the statuses that were waited for. */
export class UnreachableStatusError extends PaymentCheckoutError {
  /** The name of the class. */
  override readonly name = 'UnreachableStatusError';
  /** The payment as it was seen last. */
  readonly payment: Payment;

  /** @internal */
  constructor(payment: Payment, wanted: readonly PaymentStatus[]) {
    super(`payment ${payment.id} is ${payment.status}, and cannot become ${wanted.join(' or ')}`);
    this.payment = payment;
  }
}

/** The time was over first. `payment` is what was seen last. */
export class WaitTimeoutError extends PaymentCheckoutError {
  /** The name of the class. */
  override readonly name = 'WaitTimeoutError';
  /** The payment as it was seen last. */
  readonly payment: Payment;

  /** @internal */
  constructor(payment: Payment, wanted: readonly PaymentStatus[], timeoutMs: number) {
    super(
      `payment ${payment.id} is ${payment.status}, and did not become ${wanted.join(' or ')} within ${timeoutMs} ms`,
    );
    this.payment = payment;
  }
}

/** See Payments.waitFor. */
export async function waitFor(
  get: () => Promise<Payment>,
  settings: Settings,
  wanted: readonly PaymentStatus[],
  { timeoutMs = DEFAULT_WAIT_MS, intervalMs = DEFAULT_INTERVAL_MS, signal }: WaitOptions = {},
): Promise<Payment> {
  const end = settings.now() + timeoutMs;
  for (;;) {
    const payment = await get();
    if (wanted.includes(payment.status)) return payment;
    const reachable = reachableFrom(payment.status);
    // A status that is newer than this client may lead anywhere.
    if (reachable !== null && !wanted.some((status) => reachable.has(status)))
      throw new UnreachableStatusError(payment, wanted);
    const left = end - settings.now();
    if (left <= 0) throw new WaitTimeoutError(payment, wanted, timeoutMs);
    await settings.sleep(Math.min(intervalMs, left), signal);
  }
}

function reachableFrom(status: PaymentStatus): ReadonlySet<PaymentStatus> | null {
  if (!Object.hasOwn(NEXT_STATUSES, status)) return null;
  const found = new Set(NEXT_STATUSES[status]);
  // A set shows what is added to it while it is walked.
  for (const one of found) for (const next of NEXT_STATUSES[one]) found.add(next);
  return found;
}
