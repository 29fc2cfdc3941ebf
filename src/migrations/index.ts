import type { Knex } from 'knex';
import * as initial from './0001_initial.ts';
import * as simulatedChain from './0002_simulated_chain.ts';
import * as worlds from './0003_worlds.ts';
import * as policiesAndLedger from './0004_policies_and_ledger.ts';
import * as eventFeed from './0005_event_feed.ts';
import * as webhookEndpoints from './0006_webhook_endpoints.ts';
import * as contact from './0007_contact.ts';
import * as checkout from './0008_checkout.ts';
import * as receipts from './0009_receipts.ts';

export interface Migration {
  readonly name: string;
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** In order. The name is what the database remembers: it has no extension, so that source and build agree on it. */
export const migrations: readonly Migration[] = [
  { name: '0001_initial', ...initial },
  { name: '0002_simulated_chain', ...simulatedChain },
  { name: '0003_worlds', ...worlds },
  { name: '0004_policies_and_ledger', ...policiesAndLedger },
  { name: '0005_event_feed', ...eventFeed },
  { name: '0006_webhook_endpoints', ...webhookEndpoints },
  { name: '0007_contact', ...contact },
  { name: '0008_checkout', ...checkout },
  { name: '0009_receipts', ...receipts },
];
