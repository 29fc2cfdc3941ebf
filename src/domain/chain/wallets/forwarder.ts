import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { COIN_IDS } from '../coins.ts';
import type { ChainProfile } from '../profile.ts';
import { displayedAddress, isAddress } from '../addresses.ts';
import { networksOf, type DerivableWallet } from './families.ts';
import { FORWARDER } from './forwarder-code.ts';

/** The deterministic deployment proxy, at the same address on every EVM network: it deploys for anybody. */
export const FACTORY = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

/** What a forwarder's addresses depend on. Changing any of it changes every address. */
interface ForwarderData {
  /** Which code of forwarder-code.ts; there is one. */
  readonly code: 1;
  readonly treasury: string;
  /**
   * What its deployment moves beside the native coin: the tokens of every network, so that one address
   * serves all.
   */
  readonly tokens: readonly string[];
}

/**
 * Returns what is stored for forwarders to a treasury address. Throws RangeError, which never names the
 * value, unless it is an address with the checksum of EIP-55 that can be a treasury: money sent to a
 * mistyped one is lost, so that letters of one case, which carry no checksum, are not enough.
 */
export function parseTreasury(text: string, chains: ChainProfile): string {
  const lower = text.toLowerCase();
  if (!/^0x[0-9a-f]{40}$/.test(lower) || !isAddress('ethereum', text))
    throw new RangeError(
      'The value is no address of an EVM network (0x and 40 digits), or its checksum is wrong: copy it again',
    );
  if (displayedAddress('ethereum', lower) !== text)
    throw new RangeError(
      'The address has no checksum: copy it as the wallet shows it, with letters of both cases (EIP-55)',
    );
  const tokens = knownTokens(chains);
  if (tokens.includes(lower) || lower === FACTORY || /^0x0{30}/.test(lower))
    throw new RangeError(
      'The address is that of a contract that would keep the money, not of a wallet: give the address of your own',
    );
  const data: ForwarderData = { code: FORWARDER.version, treasury: lower, tokens };
  return JSON.stringify(data);
}

/**
 * Opens what `parseTreasury` has returned. The wallet's id is part of each salt: no two wallets share an
 * address.
 */
export function openForwarder(publicData: string, walletId: string): DerivableWallet {
  const codeHash = keccak_256(initCodeOf(publicData));
  const saltAt = (index: number) => keccak_256(utf8ToBytes(`${walletId}/${index}`));
  return {
    family: 'evm',
    addressAt: (index) => create2Address(FACTORY, saltAt(index), codeHash),
    pathAt: (index) => `0x${bytesToHex(saltAt(index))}`,
  };
}

/** What the factory is called with behind the salt, to deploy the forwarder of an index. */
export function initCodeOf(publicData: string): Uint8Array {
  return concatBytes(hexToBytes(FORWARDER.bytecode), argumentsOf(publicData));
}

/** What follows the code of every forwarder in what deploys one. */
export function argumentsOf(publicData: string): Uint8Array {
  const { treasury, tokens } = JSON.parse(publicData) as ForwarderData;
  const words = [treasury, '0x40', `0x${tokens.length.toString(16)}`, ...tokens];
  return concatBytes(...words.map(wordOf));
}

/** The contracts of the tokens that the deployment of a forwarder moves, in lower case. */
export function movedByDeployment(publicData: string): readonly string[] {
  return (JSON.parse(publicData) as ForwarderData).tokens;
}

/** The treasury of what is stored, with its checksum. */
export function treasuryOf(publicData: string): string {
  return displayedAddress('ethereum', (JSON.parse(publicData) as ForwarderData).treasury);
}

/** Returns the address that CREATE2 deploys to (EIP-1014), in lower case. */
export function create2Address(deployer: string, salt: Uint8Array, codeHash: Uint8Array): string {
  const preimage = concatBytes(Uint8Array.of(0xff), hexToBytes(deployer.slice(2)), salt, codeHash);
  return `0x${bytesToHex(keccak_256(preimage).subarray(12))}`;
}

/** The contracts of the known tokens on all EVM networks, sorted. */
function knownTokens({ contractOf }: ChainProfile): string[] {
  const contracts = networksOf('evm').flatMap((network) =>
    COIN_IDS.flatMap((coin) => contractOf(coin, network) ?? []),
  );
  return [...new Set(contracts.map((contract) => contract.toLowerCase()))].sort();
}

const wordOf = (value: string) => hexToBytes(value.slice(2).padStart(64, '0'));
