import { Slots, type SlotLimits } from './slots.ts';

/**
 * Stories and advances run hundreds of statements one after the other: each keeps about one connection and a
 * quarter of a CPU busy for as long as it runs.
 */
export const CLOCK_LIMITS: SlotLimits = { perMerchant: 4, perProcess: 8, waiting: 0 };
/**
 * The customer's actions take milliseconds, but those on one payment wait for its row's lock, each with a
 * connection: all of them together hold less than half of a web process's pool.
 */
export const CUSTOMER_LIMITS: SlotLimits = { perMerchant: 4, perProcess: 8, waiting: 100 };

export interface SandboxSlots {
  /** Of stories and advances. */
  readonly clock: Slots;
  /** Of transfers and replacements. */
  readonly customer: Slots;
}

const opened = new WeakMap<object, SandboxSlots>();

/** Returns the slots of a sandbox: one set for a process, which the API and the checkout page share. */
export function slotsOf(sandbox: object): SandboxSlots {
  const known = opened.get(sandbox);
  if (known !== undefined) return known;
  const slots = { clock: new Slots(CLOCK_LIMITS), customer: new Slots(CUSTOMER_LIMITS) };
  opened.set(sandbox, slots);
  return slots;
}
