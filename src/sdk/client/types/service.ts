// Written by `npm run types:sdk`, from the schemas of the service.

export interface ServiceStatus {
  /** Health of the service. */
  status: 'ok' | 'degraded' | 'maintenance';
  /** Current API version. */
  version: string;
  /** Server time. */
  timestamp: string;
  /** Present when live payments are simulated too: no real money moves at all. */
  simulated?: true | undefined;
  /** Present when the status is degraded: what is not well, and why. */
  checks?:
    | readonly {
        /** What is not well, for example queues. */
        check: string;
        /** What was found, for people. */
        reason: string;
      }[]
    | undefined;
  /** Whether the supplied API key is valid. */
  authenticated: boolean;
  /** The merchant's identifier; present only when authenticated is true. */
  merchant_id?: string | undefined;
  /** The merchant's, and so the key's; as merchant_id. */
  mode?: 'test' | 'live' | undefined;
  /** What the key may do; as merchant_id. */
  permissions?:
    | readonly (
        | 'payments:read'
        | 'payments:write'
        | 'refunds:write'
        | 'webhooks:read'
        | 'webhooks:write'
        | 'webhooks:secrets'
        | 'checkout:write'
        | 'wallets:read'
        | 'sandbox:write'
      )[]
    | undefined;
}

export type Currency =
  | 'USD'
  | 'EUR'
  | 'GBP'
  | 'CHF'
  | 'JPY'
  | 'CNY'
  | 'INR'
  | 'AUD'
  | 'CAD'
  | 'NZD'
  | 'SGD'
  | 'HKD'
  | 'KRW'
  | 'SEK'
  | 'NOK'
  | 'DKK'
  | 'PLN'
  | 'CZK'
  | 'TRY'
  | 'BRL'
  | 'MXN'
  | 'ZAR'
  | 'AED'
  | 'SAR'
  | 'HUF'
  | 'ILS'
  | 'THB'
  | 'IDR'
  | 'MYR'
  | 'KWD';
