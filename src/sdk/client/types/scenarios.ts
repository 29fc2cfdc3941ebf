// Written by `npm run types:sdk`, from the schemas of the service.

import type { Coin, Network, SandboxDelivery } from './sandbox.ts';
import type { Payment, PolicyChoice } from './payments.ts';

export interface ScenarioPayment {
  /** Amount in the merchant's settlement currency. */
  pay_amount: string;
  /** Merchant's order or invoice ID. */
  order_id?: string | undefined;
  /** Shown on checkout. */
  order_description?: string | undefined;
  /** Webhook URL for this payment; overrides the default. */
  callback_url?: string | undefined;
  /** Redirect target after successful payment. */
  success_url?: string | undefined;
  /** Redirect target if the customer cancels. */
  cancel_url?: string | undefined;
  /** How long the customer has to pay. */
  expiration_minutes?: number | undefined;
  /** Customer address for receipts. */
  customer_email?: string | undefined;
  /** The merchant's own keys; every event carries them. */
  metadata?:
    | {
        [key: string]: string;
      }
    | undefined;
  policy?: PolicyChoice | undefined;
}

export type ScenarioStep =
  | {
      /** Time since the beginning: "2m". */
      at: string;
      do: 'transfer';
      /**
       * In units of the coin, with at most the coin's decimals on its network; default: what is still
       * missing.
       */
      amount?: string | undefined;
      /** Default: the payment's coin. */
      coin?: Coin | undefined;
      /** Default: the payment's network. */
      network?: Network | undefined;
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      do: 'replace';
      /** Which one: 1 is the first that was sent; default: the latest that stands. */
      transfer?: number | undefined;
      /**
       * true: the replacement pays the same address, as a wallet's "speed up" does; default false: the
       * money is spent elsewhere.
       */
      speed_up?: boolean | undefined;
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      do: 'reorg';
      depth: number;
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      do: 'mine';
      blocks: number;
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      do: 'fail_conversion';
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      do: 'refund';
      /** In pay_currency; default: everything that is left. */
      amount?: string | undefined;
      /** For the merchant's own records. */
      reason?: string | undefined;
      /** Where the money goes, on the refund's network; default: the customer's choice. */
      address?: string | undefined;
      /**
       * Without an address: the money goes to the address that it came from, when all of it came from
       * one, in the coin and on the network of the refund. Default: only for test payments.
       */
      to_sender?: boolean | undefined;
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      do: 'webhook';
      /** How the receiver answers from now on; twice and out_of_order: the next event only. */
      answer: number | 'timeout' | 'twice' | 'out_of_order';
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      do: 'seed';
      /** Decides everything that is left to chance. */
      seed: string;
    };

export interface RunScenario {
  /** A story of the library, instead of payment and script. */
  story?:
    | 'paid'
    | 'paid-in-two-parts'
    | 'underpaid-and-expired'
    | 'overpaid'
    | 'late-honoured'
    | 'late-refunded'
    | 'late-after-partial'
    | 'reorganised'
    | 'replaced'
    | 'conversion-failed'
    | 'refunded-in-full'
    | 'refunded-in-part'
    | 'webhook-endpoint-down-for-a-day'
    | 'webhooks-twice-and-out-of-order'
    | undefined;
  payment?: ScenarioPayment | undefined;
  script?: readonly ScenarioStep[] | undefined;
  /** Decides everything that is left to chance. */
  seed?: string | undefined;
  /** stable: ids that follow from the seed. */
  ids?: 'random' | 'stable' | undefined;
}

export interface Scenario {
  payment: Payment;
  transitions: readonly {
    at: string;
    sequence: number;
    from: string | null;
    to: string;
    event: string;
  }[];
  events: readonly {
    [key: string]: unknown;
  }[];
  deliveries: readonly SandboxDelivery[];
  received: readonly {
    at: string;
    event_id: string;
    type: string;
    sequence: number;
    answered: number | 'timeout';
  }[];
}
