import { createPublicKey, type KeyObject } from 'node:crypto';
import { Type, type Static, type TSchema } from 'typebox';
import { ValidationError } from '../api/errors.ts';
import { getValidator } from '../api/validator.ts';
import { COINS_ON_NETWORKS, isCoinOn, tokenContract } from '../chain/coins.ts';
import { EVM_NETWORK_IDS } from '../../networks/networks.ts';
import { compare } from '../../platform/values/money.ts';

const strict = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
const Amount = Type.String({ pattern: String.raw`^\d{1,15}(\.\d{1,18})?$` });
const Path = Type.String({ pattern: '^/', maxLength: 4096 });
const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' });

/** Per intent, and all that was signed within an hour and a day. */
const limits = { perIntent: Amount, perHour: Amount, perDay: Amount };

const KeyFile = strict({ file: Path, passphraseFile: Path });
const AwsKms = strict({
  keyId: Type.String({ minLength: 1, maxLength: 2048 }),
  region: Type.String({ pattern: '^[a-z0-9-]{1,40}$' }),
  credentialsFile: Path,
  endpoint: Type.Optional(Type.String({ pattern: '^https?://' })),
});

const Network = strict({
  urls: Type.Array(Type.String({ pattern: '^https?://' }), { minItems: 1, maxItems: 8 }),
  maxFeePerGasGwei: Amount,
  maxGas: Type.Optional(Type.Integer({ minimum: 21_000, maximum: 10_000_000 })),
  coins: Type.Record(Type.String(), strict({ usd: Amount, ...limits })),
});

const Settings = strict({
  networks: Type.Record(Type.String(), Network),
  usd: strict(limits),
  approval: strict({
    fromUsd: Amount,
    approvers: Type.Record(Type.String(), Type.String({ pattern: '^[A-Za-z0-9+/]{40,200}={0,2}$' })),
  }),
  merchants: Type.Optional(Type.Array(Type.String({ pattern: '^mer_' }))),
  allow: Type.Optional(Type.Array(Address)),
  deny: Type.Optional(Type.Array(Address)),
  key: Type.Union([strict({ keystore: KeyFile }), strict({ awsKms: AwsKms })]),
  journal: Path,
  haltFile: Path,
  bumpAfterSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
  pollSeconds: Type.Optional(Type.Number({ minimum: 0.05, maximum: 600 })),
  chainProfile: Type.Optional(Type.Enum(['mainnet', 'testnet'])),
  testnetTokens: Type.Optional(Type.Record(Type.String(), Address)),
});

type Written = Static<typeof Settings>;
export type NetworkSettings = Static<typeof Network>;
export type CoinSettings = NetworkSettings['coins'][string];

/** What the signer's own file says. Whoever owns the database has no say in any of it. */
export type SignerSettings = Omit<Written, 'approval'> & {
  readonly approval: { readonly fromUsd: string; readonly approvers: ReadonlyMap<string, KeyObject> };
};

/** Reads the signer's configuration. Throws RangeError, which says what is wrong and where. */
export function parseSettings(text: string): SignerSettings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RangeError('The configuration of the signer is no JSON');
  }
  const written = checked(value);
  for (const [network, { coins }] of Object.entries(written.networks)) {
    if (!(EVM_NETWORK_IDS as readonly string[]).includes(network))
      throw new RangeError(`networks.${network}: the signer pays on ${EVM_NETWORK_IDS.join(', ')}`);
    for (const [coin, own] of Object.entries(coins)) {
      if (!isCoinOn(coin, network)) throw new RangeError(`networks.${network}.coins.${coin} does not exist`);
      assertOrdered(`networks.${network}.coins.${coin}`, own);
      if (compare(own.usd, '0') === 0) throw new RangeError(`networks.${network}.coins.${coin}.usd is 0`);
    }
    const native = COINS_ON_NETWORKS.find(
      (one) => one.network === network && tokenContract(one.coin, one.network) === null,
    );
    if (native !== undefined && !Object.hasOwn(coins, native.coin))
      throw new RangeError(`networks.${network}.coins lacks ${native.coin}, of which fees are paid`);
  }
  assertOrdered('usd', written.usd);
  const { fromUsd, approvers } = written.approval;
  const keys = Object.entries(approvers).map(([name, key]) => [name, publicKey(name, key)] as const);
  return { ...written, approval: { fromUsd, approvers: new Map(keys) } };
}

function checked(value: unknown): Written {
  try {
    return getValidator({ allowPrivate: true }).compile(Settings, 'settings')(value);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new RangeError(`The configuration of the signer cannot be used: ${error.message}`);
  }
}

function assertOrdered(where: string, { perIntent, perHour, perDay }: Omit<CoinSettings, 'usd'>): void {
  if (compare(perIntent, perHour) > 0 || compare(perHour, perDay) > 0)
    throw new RangeError(`${where}: perIntent is at most perHour, and that at most perDay`);
}

function publicKey(name: string, base64: string): KeyObject {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Said below.
  }
  throw new RangeError(
    `approval.approvers.${name} is no public key of Ed25519: openssl pkey -in KEY.pem -pubout -outform DER | base64 -w0`,
  );
}
