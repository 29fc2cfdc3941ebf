// Written by `npm run types:sdk`, from the schemas of the service.

import type { Coin, Network, SandboxDelivery } from './sandbox.ts';
import type { Currency } from './service.ts';
import type { Payment, PolicyChoice } from './payments.ts';

export interface ScenarioPayment {
  /** Amount in the merchant's settlement currency; or else price_amount and price_currency. */
  pay_amount?: string | undefined;
  /** Price with at most the decimals of its currency: converted once, now, and rounded up. */
  price_amount?: string | undefined;
  /** Currency of price_amount, by its code in ISO 4217. */
  price_currency?: Currency | undefined;
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
  /** Customer address for receipts; its domain may be internationalised. */
  customer_email?: string | undefined;
  /** The merchant's own keys; every event carries them. */
  metadata?:
    | {
        [key: string]: string;
      }
    | undefined;
  /** What happens with too little, too late and too much. */
  policy?: PolicyChoice | undefined;
}

export type ScenarioStep =
  | {
      /** Time since the beginning: "2m". */
      at: string;
      /** What happens. */
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
      /** What happens. */
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
      /** What happens. */
      do: 'reorg';
      /** How many blocks are exchanged. */
      depth: number;
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      /** What happens. */
      do: 'mine';
      /** How many blocks are mined. */
      blocks: number;
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      /** What happens. */
      do: 'fail_conversion';
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      /** What happens. */
      do: 'refund';
      /** In pay_currency; default: everything that is left. */
      amount?: string | undefined;
      /** Instead of amount, in price_currency: converted at the rate of the refund, and rounded up. */
      price_amount?: string | undefined;
      /** Currency of price_amount, in ISO 4217; default: that of the payment's price. */
      price_currency?: Currency | undefined;
      /** For the merchant's own records. */
      reason?: string | undefined;
      /** Where the money goes, on the refund's network; default: the customer's choice. */
      address?: string | undefined;
      /**
       * The money goes to the address that it came from, when all of it came from one, in the coin and on
       * the network of the refund. Where another address was given, here or by the customer, the response
       * is a 409 that names it. Default: only for test payments, without another address.
       */
      to_sender?: boolean | undefined;
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      /** What happens. */
      do: 'webhook';
      /** How the receiver answers from now on; twice and out_of_order: the next event only. */
      answer: number | 'timeout' | 'twice' | 'out_of_order';
    }
  | {
      /** Time since the beginning: "2m". */
      at: string;
      /** What happens. */
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
  /** The payment. */
  payment?: ScenarioPayment | undefined;
  /** What happens to the payment, in time. */
  script?: readonly ScenarioStep[] | undefined;
  /** Decides everything that is left to chance. */
  seed?: string | undefined;
  /** stable: ids that follow from the seed. */
  ids?: 'random' | 'stable' | undefined;
}

export interface Scenario {
  /** The payment. */
  payment: Payment;
  /** How the payment moved, in order. */
  transitions: readonly {
    /** When it happened. */
    at: string;
    /** The number of its event. */
    sequence: number;
    /** The status before; null: the payment was created. */
    from: string | null;
    /** The status after it. */
    to: string;
    /** The type of its event. */
    event: string;
  }[];
  /** The events, as the webhooks say them. */
  events: readonly {
    [key: string]: unknown;
  }[];
  /** Every attempt to deliver one. */
  deliveries: readonly SandboxDelivery[];
  /** What the script's receiver got. */
  received: readonly {
    /** When it arrived. */
    at: string;
    /** The event. */
    event_id: string;
    /** Its type. */
    type: string;
    /** The event's number of its payment. */
    sequence: number;
    /** The status of the response. */
    answered: number | 'timeout';
  }[];
}
