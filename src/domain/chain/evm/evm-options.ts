import type { NetworkId } from '../networks.ts';
import type { ChainTransfer } from '../port.ts';
import type { ChainProfile } from '../profile.ts';
import type { Finality } from './finality.ts';
import type { Limits } from '../rpc/json-rpc.ts';

/** What a client of an EVM network goes by. */
export interface EvmOptions {
  readonly network: NetworkId;
  readonly chainId: number;
  /** URLs of JSON-RPC providers, in the order in which they take turns. They are secrets. */
  readonly urls: readonly string[];
  readonly finality: Finality;
  /** The contracts of tokens, and which coins exist. Default: those of the coin table. */
  readonly contractOf?: ChainProfile['contractOf'];
  /** Returns the transfers that a provider of a second host must confirm. Default: none. */
  readonly largeOf?: (transfers: readonly ChainTransfer[]) => Promise<readonly ChainTransfer[]>;
  /** Ask for the pending block, where providers know one. Default: yes. */
  readonly hasSightings?: boolean;
  /**
   * Ask for the traces of each block, where providers have them: money that a contract sends has no
   * transaction of its own. A trace counts as far as the state roots prove that the address got as much.
   * Default: no, for traces are large.
   */
  readonly hasTraces?: boolean;
  readonly limits?: Limits;
  readonly pageMs?: number;
}
