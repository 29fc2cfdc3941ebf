import { isNetwork, NETWORK_IDS, type NetworkId } from '../../../domain/chain/networks.ts';
import { findingsText, runChecks } from '../../../domain/ops/preflight/finding.ts';
import { installationChecks } from '../../../domain/ops/preflight/installation.ts';
import {
  findMerchant,
  merchantChecks,
  networksOf,
  type Merchant,
} from '../../../domain/ops/preflight/merchant.ts';
import { networkChecks } from '../../../domain/ops/preflight/networks.ts';
import { rateChecks } from '../../../domain/ops/preflight/rates.ts';
import { walletCheck } from '../../../domain/ops/preflight/wallet.ts';
import type { Context } from '../../../platform/context.ts';
import { OpsUsageError, type OpsCommand, type OpsValues } from './command.ts';

/** Of each check, which makes some four requests one after the other. */
const DEADLINE_SECONDS = 60;

export const preflightCommand: OpsCommand = {
  summary: 'says what is missing or broken before real money moves, and what to do about it',
  description:
    "Run it in the watcher's environment, which alone has RPC_URLS_. It writes nothing. With --merchant it also " +
    'sends signed test events to the receivers of the merchant. Exit code 1 when something is missing or broken.',
  options: {
    merchant: { type: 'string', value: 'ID', meaning: 'also the wallet and the receivers of this merchant' },
    network: {
      type: 'string',
      value: 'NETWORK',
      meaning: 'only this network; without it those that are configured',
    },
  },
  changes: () => false,
  isPreflight: true,
  readsChains: true,
  async run(ctx, values) {
    const merchant = await merchantOf(ctx, values);
    const networks = networksFor(ctx, values, merchant);
    const checks = [
      ...installationChecks(ctx, networks),
      ...networkChecks(ctx, networks),
      ...rateChecks(ctx, networks),
      walletCheck(ctx, merchant),
      ...(merchant === null ? [] : merchantChecks(ctx, merchant)),
    ];
    const findings = await runChecks(checks, DEADLINE_SECONDS);
    const isBad = findings.some(({ state }) => state !== 'ok');
    return { facts: { ok: !isBad, findings }, text: findingsText(findings), isBad };
  },
};

async function merchantOf(ctx: Context, values: OpsValues): Promise<Merchant | null> {
  const id = values.text('merchant');
  if (id === null) return null;
  const found = await findMerchant(ctx, id);
  if (found === null) throw new OpsUsageError(`There is no merchant ${id}.`);
  return found;
}

function networksFor({ config }: Context, values: OpsValues, merchant: Merchant | null): NetworkId[] {
  const named = values.text('network');
  if (named === null)
    return merchant === null
      ? NETWORK_IDS.filter((one) => Object.hasOwn(config.rpc, one))
      : networksOf(merchant);
  if (isNetwork(named)) return [named];
  throw new OpsUsageError(`There is no network ${named}: write one of ${NETWORK_IDS.join(', ')}.`);
}
