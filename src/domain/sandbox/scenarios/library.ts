import type { PolicyChoice } from '../../payments/lifecycle/policy.ts';
import type { Script } from './schemas.ts';
import type { LibraryName } from './library-names.ts';

/** The scripts that can be run by name: the cases that every integration should handle. */
export const LIBRARY: Readonly<Record<LibraryName, Script>> = {
  paid: script('10.00', [{ at: '1m', do: 'transfer' }]),
  'paid-in-two-parts': script('10.00', [
    { at: '1m', do: 'transfer', amount: '4.00' },
    { at: '5m', do: 'transfer' },
  ]),
  'underpaid-and-expired': script('10.00', [{ at: '1m', do: 'transfer', amount: '4.00' }]),
  overpaid: script('10.00', [{ at: '1m', do: 'transfer', amount: '12.50' }]),
  'late-honoured': script('10.00', [{ at: '90m', do: 'transfer' }]),
  'late-refunded': script('10.00', [{ at: '90m', do: 'transfer' }], { late: 'refund' }),
  'late-after-partial': script('10.00', [
    { at: '1m', do: 'transfer', amount: '4.00' },
    { at: '90m', do: 'transfer' },
  ]),
  reorganised: script('10.00', [
    { at: '1m', do: 'transfer' },
    { at: '2m', do: 'reorg', depth: 6 },
  ]),
  replaced: script('10.00', [
    { at: '1m', do: 'transfer' },
    { at: '2m', do: 'replace' },
  ]),
  'conversion-failed': script('10.00', [
    { at: '1m', do: 'transfer' },
    { at: '1m', do: 'fail_conversion' },
  ]),
  'refunded-in-full': script('10.00', [
    { at: '1m', do: 'transfer' },
    { at: '1h', do: 'refund' },
  ]),
  'refunded-in-part': script('10.00', [
    { at: '1m', do: 'transfer' },
    { at: '1h', do: 'refund', amount: '2.50' },
    { at: '2h', do: 'refund', amount: '2.50' },
  ]),
  'webhook-endpoint-down-for-a-day': script('10.00', [
    { at: '0s', do: 'webhook', answer: 503 },
    { at: '1m', do: 'transfer' },
    { at: '1d', do: 'webhook', answer: 200 },
  ]),
  'webhooks-twice-and-out-of-order': script('10.00', [
    { at: '0s', do: 'webhook', answer: 'twice' },
    { at: '1m', do: 'webhook', answer: 'out_of_order' },
    { at: '1m', do: 'transfer' },
  ]),
};

function script(payAmount: string, steps: Script['script'], policy: PolicyChoice = {}): Script {
  return { payment: { pay_amount: payAmount, expiration_minutes: 60, policy }, script: steps };
}
