import { parseArgs } from 'node:util';
import { isNetwork } from '../domain/chain/networks.ts';
import { registerAccount } from '../domain/payouts/register.ts';
import { runSigner } from '../domain/payouts/run.ts';
import { networksOf } from '../domain/payouts/signer.ts';
import { StartError } from '../platform/config/config.ts';
import { runMain } from './setup/lifetime.ts';
import { asStartError, openSigner } from './setup/signer/open.ts';

const USAGE = `Usage: signer                                       pays refunds (docs/operations/signer.md)
       signer register --network NETWORK --nonce N  says from which number on its account signs there`;

const [command, ...rest] = process.argv.slice(2);

runMain(
  async (lifetime) => {
    if (command !== undefined && command !== 'register') throw new StartError(USAGE);
    const signer = await openSigner(lifetime, process.env);
    const networks = networksOf(signer).map(([network]) => network);
    if (command === undefined) {
      const missing = networks.filter((network) => signer.journal.nextNonce(network) === null);
      if (missing.length > 0)
        throw new StartError(
          `${signer.key.address} is not registered on ${missing.join(', ')}. Look at an explorer how many ` +
            'transactions it has sent there, and run: signer register --network NETWORK --nonce N',
        );
      const stop = new AbortController();
      const running = runSigner(signer, stop.signal);
      lifetime.own('signing', () => (stop.abort(), running));
      signer.log.info('signing', { networks, account: signer.key.address });
      return;
    }
    const { network, nonce } = parseArgs({
      args: rest,
      options: { network: { type: 'string' }, nonce: { type: 'string' } },
    }).values;
    if (network === undefined || !isNetwork(network) || !networks.includes(network))
      throw new StartError(`--network is one of the configuration: ${networks.join(', ')}`);
    if (!/^\d{1,9}$/.test(nonce ?? ''))
      throw new StartError('--nonce is how many transactions the account has sent');
    const known = await asStartError(() => registerAccount(signer, network, Number(nonce)));
    console.log(`${signer.key.address} signs on ${network} from number ${nonce} on.`);
    if (known > 0) console.log(`${known} payouts of the database were taken into the journal.`);
  },
  { once: command !== undefined },
);
