import { text } from 'node:stream/consumers';
import { openKeyFile, readPrivateFile, type SigningKey } from '../../../domain/chain/keys/key-file.ts';
import { isFault } from '../../../domain/chain/rpc/questions.ts';
import { isNetwork } from '../../../domain/chain/networks.ts';
import { familyOf, networksOf } from '../../../domain/chain/wallets/families.ts';
import { abandonFlush, flushForwarders } from '../../../domain/wallets/flush/run.ts';
import type { FlushReport } from '../../../domain/wallets/flush/report.ts';
import { StartError } from '../../../platform/config/config.ts';
import { compare } from '../../../platform/values/money.ts';
import { asUsageError } from './merchants.ts';
import { OpsUsageError, type OpsCommand, type OpsResult, type OpsValues } from '../shared/command.ts';

/** Of what moves. A deposit of 20 dollars is moved at up to a dollar of gas. */
const DEFAULT_FEE_PERCENT = '5';

export const flushCommand: OpsCommand = {
  summary: 'moves what came to forwarders to their treasuries, many addresses by one transaction',
  description:
    "Run it in the watcher's environment, which has RPC_URLS_, by hand or by a timer: each run first looks what " +
    'became of the flush before, and sends nothing while that is not final. The gas wallet can lose nothing but ' +
    'its gas: money goes to the treasuries, whoever flushes. Nobody has audited the contracts of forwarders and ' +
    'of their flush. Exit code 1 when somebody has to do something.',
  options: {
    network: { type: 'string', value: 'NETWORK', meaning: 'a network, ethereum', isNeeded: true },
    'key-file': {
      type: 'string',
      value: 'FILE',
      meaning: 'the key of the gas wallet (Web3 Secret Storage, as geth and cast make it), mode 0600',
    },
    'passphrase-file': {
      type: 'string',
      value: 'FILE',
      meaning: 'its passphrase, mode 0600; - reads it from standard input',
    },
    'min-usd': {
      type: 'string',
      value: 'X',
      meaning: 'only addresses that hold so many dollars; default: 0',
    },
    'max-fee-percent': {
      type: 'string',
      value: 'P',
      meaning: `gas may cost so many per cent of what moves; default: ${DEFAULT_FEE_PERCENT}`,
    },
    abandon: {
      type: 'string',
      value: 'HASH',
      meaning: 'ends the open flush with this hash, whatever becomes of it; sends nothing, needs no key',
    },
    'dry-run': { type: 'boolean', meaning: 'says what it would move, and signs nothing: it needs no key' },
  },
  changes: (values) => !values.has('dry-run') || values.text('abandon') !== null,
  readsChains: true,
  async run(ctx, values) {
    const network = values.text('network') ?? '';
    if (!isNetwork(network) || familyOf(network) !== 'evm')
      throw new OpsUsageError(
        `There are no forwarders on ${network}: write one of ${networksOf('evm').join(', ')}.`,
      );
    if (!Object.hasOwn(ctx.config.rpc, network))
      throw new OpsUsageError(
        `RPC_URLS_${network.toUpperCase()} is not set here: run this in the watcher's environment.`,
      );
    const hash = values.text('abandon');
    if (hash !== null && values.has('dry-run'))
      throw new OpsUsageError('--abandon ends a flush, and --dry-run changes nothing: give one of them.');
    if (hash !== null) return resultOf(await abandonFlush(ctx, network, hash).catch(asUsageError));
    const minUsd = amountOf(values, 'min-usd', '0');
    const maxFeePercent = amountOf(values, 'max-fee-percent', DEFAULT_FEE_PERCENT);
    if (compare(maxFeePercent, '100') > 0)
      throw new OpsUsageError('--max-fee-percent is at most 100: more gas than money moves nothing.');
    const key = values.has('dry-run') ? null : await keyOf(values);
    return resultOf(await flushForwarders(ctx, { network, minUsd, maxFeePercent, key }).catch(asStartError));
  },
};

function resultOf({ facts, text: said, isBad, hasSent }: FlushReport): OpsResult {
  const { network, state, tx_hash, addresses, usd } = facts;
  const changed = { network, state, tx_hash, addresses, usd };
  return { facts, text: said, isBad, ...(hasSent ? { changed } : {}) };
}

/** What a provider is to blame for names it by number and host. */
function asStartError(error: unknown): never {
  throw isFault(error) ? new StartError(`${error.message}. Nothing was sent.`) : error;
}

function amountOf(values: OpsValues, name: string, fallback: string): string {
  const given = values.text(name) ?? fallback;
  if (/^\d{1,9}(\.\d{1,4})?$/.test(given)) return given;
  throw new OpsUsageError(`--${name} ${given} is no number: write 25 or 0.5.`);
}

/** The key and its passphrase are read by this command alone: no variable and no other process has them. */
async function keyOf(values: OpsValues): Promise<SigningKey> {
  const [file, secret] = [values.text('key-file'), values.text('passphrase-file')];
  if (file === null || secret === null)
    throw new OpsUsageError(
      'wallet flush needs --key-file and --passphrase-file, or --dry-run: see npm run ops -- wallet flush --help.',
    );
  const read = async () => {
    const passphrase =
      secret === '-' ? await text(process.stdin) : await readPrivateFile(secret, 'The passphrase file');
    // The end of its line is no part of it.
    return openKeyFile(file, passphrase.replace(/\r?\n$/, ''));
  };
  return read().catch(asUsageError);
}
