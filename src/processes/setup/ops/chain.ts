import { isNetwork, NETWORK_IDS, type NetworkId } from '../../../domain/chain/networks.ts';
import { readLiveChains, rescanChain, resumeChain, type LiveChain } from '../../../domain/ops/chains.ts';
import { forgetChain, type Kept } from '../../../domain/ops/forget-chain.ts';
import { urlsVariable } from '../../../platform/config/variables.ts';
import { durationText } from '../../../domain/ops/status/section.ts';
import { OpsUsageError, type OpsCommand, type OpsValues } from '../shared/command.ts';

const NETWORK = { type: 'string', value: 'NETWORK', meaning: 'a network, ethereum', isNeeded: true } as const;

export const chainStatusCommand: OpsCommand = {
  summary: 'says how far each real network is read, which have halted, and how their providers do',
  options: {},
  changes: () => false,
  async run({ db, systemNow }) {
    const chains = await readLiveChains(db);
    return {
      facts: { networks: chains },
      text: chains.length === 0 ? 'No watcher has read a real network.' : textOf(chains, systemNow()),
      isBad: chains.some(({ halted_at }) => halted_at !== null),
    };
  },
};

export const chainResumeCommand: OpsCommand = {
  summary: 'lets a network that has halted be read on',
  description:
    'Look first at what the log and `chain status` say. A watcher that finds the same again halts again: read ' +
    'the blocks again from below the fork (`chain rescan`), and resume then.',
  options: { network: NETWORK },
  changes: () => true,
  async run({ db }, values) {
    const network = networkOf(values);
    const isResumed = await resumeChain(db, network);
    return {
      facts: { network, resumed: isResumed },
      text: isResumed ? `${network} is read on within seconds.` : `${network} had not halted.`,
      changed: { network },
    };
  },
};

export const chainRescanCommand: OpsCommand = {
  summary: 'lets the watcher read a network again from a block on',
  description:
    'Nothing is credited twice. Until the scan has come back to where it was, nothing expires there. It begins ' +
    'at the first block that is not final, if that is lower. A network that has halted stays so until ' +
    '`chain resume`.',
  options: {
    network: NETWORK,
    from: { type: 'string', value: 'HEIGHT', meaning: 'a block that is to be read', isNeeded: true },
  },
  changes: () => true,
  async run({ db }, values) {
    const network = networkOf(values);
    const asked = heightOf(values.text('from') ?? '');
    const from = await rescanChain(db, network, asked);
    if (from === null)
      throw new OpsUsageError(
        `${network} has no block ${asked} yet, or no watcher has read it: see chain status.`,
      );
    const why = from < asked ? `, the first that was not final: ${asked} is not either` : '';
    const text = `${network} is read again from block ${from} on${why}.`;
    return { facts: { network, from }, text, changed: { network, from } };
  },
};

export const chainForgetCommand: OpsCommand = {
  summary: 'forgets a network that no watcher is to read any more: it no longer degrades the status',
  description:
    'It takes 15 s. Refused while a watcher reads the network, or a payment or a refund on it is not finished. ' +
    'A watcher that reads it again begins at its final block: what came meanwhile, also to payments that have ' +
    'ended, is not found.',
  options: { network: NETWORK },
  changes: () => true,
  async run(ctx, values) {
    const network = networkOf(values);
    const kept = await forgetChain(ctx, network);
    if (kept === null)
      return {
        facts: { network, forgotten: true },
        text: `${network} is forgotten.`,
        changed: { network },
      };
    return { facts: { network, forgotten: false, ...kept }, text: keptText(network, kept), isBad: true };
  },
};

function keptText(network: NetworkId, kept: NonNullable<Kept>): string {
  if (kept.because === 'unknown') return `${network} is not known: no watcher has read it.`;
  if (kept.because === 'watched')
    return `A watcher reads ${network}: take ${urlsVariable(network)} from every watcher, restart them, and run this again.`;
  return (
    `${network} is needed by ${kept.payments} payments and ${kept.refunds} refunds that are not finished: let a ` +
    'watcher read it until they are. If it has halted for this command, `chain resume` lets it be read on.'
  );
}

function networkOf(values: OpsValues): NetworkId {
  const network = values.text('network') ?? '';
  if (isNetwork(network)) return network;
  throw new OpsUsageError(`There is no network ${network}: write one of ${NETWORK_IDS.join(', ')}.`);
}

function heightOf(text: string): number {
  const height = Number(text);
  if (/^\d{1,15}$/.test(text) && height > 0) return height;
  throw new OpsUsageError(`--from ${text} is no height of a block.`);
}

function textOf(chains: readonly LiveChain[], now: Date): string {
  const ago = (at: Date | null) =>
    at === null ? 'never' : `${durationText(Math.max(0, (now.getTime() - at.getTime()) / 1_000))} ago`;
  return chains
    .map((chain) => {
      const { network, head, head_hash, head_at, final_height, scanned_until, providers } = chain;
      const { audited_at, waits_because } = chain;
      const lines = [
        `${network}: head ${head} ${head_hash ?? ''} of ${ago(head_at)}, final ${final_height ?? '-'}, read up to ${ago(scanned_until)}`,
        ...(chain.halted_at === null
          ? []
          : [`HALTED ${ago(chain.halted_at)}: ${chain.halted_because ?? 'no reason is known'}`]),
        `balances ${audited_at === null ? 'not audited' : `audited ${ago(audited_at)}`}${waits_because === null ? '' : `; the scan waits: ${waits_because}`}`,
        ...providers.map(
          ({ name, ok, lag, lacks }) =>
            `provider ${name}: ${ok ? 'ok' : 'failing'}, ${lag ?? 'unknown'} blocks behind` +
            (lacks === undefined ? '' : `, lacks ${lacks}`),
        ),
      ];
      return lines.join('\n  ');
    })
    .join('\n');
}
