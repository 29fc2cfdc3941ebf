import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkId } from '../chain/networks.ts';
import { isFault } from '../chain/rpc/questions.ts';
import { INTENT_COLUMNS, type DecidedIntent } from '../payments/refunds/by-signer/intent.ts';
import { isUnavailable, run, sql, type Connection } from '../../platform/postgres/db.ts';
import { messageOf } from '../../platform/log.ts';
import { nonceOf, withNode } from '../wallets/flush/node.ts';
import { followPayouts } from './follow.ts';
import type { NetworkSettings } from './settings.ts';
import { accountOf, chainConfig, isHalted, networksOf, storeJournal, type Signer } from './signer.ts';
import { holdAccount, seeAccount } from './store.ts';
import { takeUp } from './take.ts';

const POLL_SECONDS = 5;
/** In one pass: what was signed is looked at before more is. */
const TAKEN = 20;
/** Nobody waits as long for a refund: an older intent was forgotten, or is no new one. */
const OLDEST_MS = 30 * 86_400_000;

/** Looks at every network, until it is stopped; what fails is tried again with the next pass. */
export async function runSigner(signer: Signer, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    for (const [network, settings] of networksOf(signer)) {
      if (stop.aborted) return;
      await pass(signer, network, settings).catch((error: unknown) => {
        if (!isFault(error) && !isUnavailable(error)) signer.log.error('a pass failed', said(network, error));
        else signer.log.warn('a pass failed: tried again', said(network, error));
      });
    }
    const ms = (signer.settings.pollSeconds ?? POLL_SECONDS) * 1_000;
    await sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  }
}

const said = (network: NetworkId, error: unknown) => ({ network, error: messageOf(error) });

/** Follows what was signed on a network, and signs what may be. */
export async function pass(signer: Signer, network: NetworkId, settings: NetworkSettings): Promise<void> {
  const { db, journal } = signer;
  await storeJournal(signer);
  const next = journal.nextNonce(network);
  const account = accountOf(signer, network);
  const row = await seeAccount(db, account, signer.now());
  if (next === null || row === null)
    throw new RangeError(`no account is registered on ${network}: signer register`);
  if (await isHalted(signer))
    return (signer.log.warn('halted: nothing is signed or sent', { network }), undefined);
  await withNode({ config: chainConfig(signer) }, network, Number.MAX_SAFE_INTEGER, async (node) => {
    await followPayouts(signer, node, settings);
    // No transaction of this account is final beyond those that were signed here.
    if ((await nonceOf(node, account.address, node.final)) > next)
      await holdAccount(
        db,
        account,
        'more of its numbers are used than were signed: somebody else has the key',
      );
    if (row.held_because !== null) return;
    const since = new Date(signer.now().getTime() - OLDEST_MS);
    for (const intent of await readOpenIntents(db, { network, since, limit: TAKEN }))
      await takeUp(signer, node, intent, settings);
  });
}

interface Asked {
  readonly network: string;
  readonly since: Date;
  readonly limit: number;
}

// Index: payout_intents_by_age. Those that were looked at longest ago come first: what waits keeps no place.
const openIntents = sql<DecidedIntent, Asked>(
  'open_payout_intents',
  (p) => `
    SELECT ${INTENT_COLUMNS}
    FROM payout_intents i LEFT JOIN payouts p ON p.refund_id = i.refund_id
    WHERE i.network = ${p.network} AND i.created_at > ${p.since} AND i.held_by IS NULL
      AND (p.refund_id IS NULL OR p.state = 'waiting')
      AND NOT EXISTS (SELECT FROM payout_stops s WHERE s.refund_id = i.refund_id)
    ORDER BY p.looked_at NULLS FIRST, i.created_at LIMIT ${p.limit}`,
);

/** Returns intents of a network that nothing was signed for. */
async function readOpenIntents(connection: Connection, asked: Asked): Promise<DecidedIntent[]> {
  return run(connection, openIntents, asked);
}
