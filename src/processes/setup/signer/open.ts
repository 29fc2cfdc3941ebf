import { openKmsKey } from '../../../domain/chain/keys/aws-kms.ts';
import { openKeyFile, readPrivateFile, type SigningKey } from '../../../domain/chain/keys/key-file.ts';
import { isFault } from '../../../domain/chain/rpc/questions.ts';
import { Journal } from '../../../domain/payouts/journal.ts';
import { parseSettings, type SignerSettings } from '../../../domain/payouts/settings.ts';
import type { Signer } from '../../../domain/payouts/signer.ts';
import { StartError, type Environment } from '../../../platform/config/config.ts';
import { exclusive } from '../../../platform/exclusive.ts';
import { readSecretFiles } from '../../../platform/config/secret-files.ts';
import { assertNoFaults } from '../../../platform/config/start-error.ts';
import { databaseUrl } from '../../../platform/config/values.ts';
import { openDb } from '../../../platform/postgres/db.ts';
import { createLog } from '../../../platform/log.ts';
import type { Lifetime } from '../lifetime.ts';

/** It looks at one network at a time. */
const SIGNER_DB = { poolSize: 2, acquireMs: 10_000, queryMs: 30_000 };

/**
 * Opens the signer: its own database role, its own file of configuration, and nothing else of the
 * environment that other processes have. Throws StartError.
 */
export async function openSigner(lifetime: Lifetime, environment: Environment): Promise<Signer> {
  const { env, faults } = readSecretFiles(environment, ['SIGNER_DATABASE_URL']);
  const { SIGNER_DATABASE_URL: url, SIGNER_CONFIG: path, LOG_LEVEL, LOG_FORMAT } = env;
  if (!path) faults.push('SIGNER_CONFIG is not set: give the path of the configuration of the signer');
  if (!url)
    faults.push(
      'SIGNER_DATABASE_URL is not set: give the URL of a role that is granted with ops payouts grant',
    );
  assertNoFaults([...faults, ...urlFaults(url)]);
  const log = createLog(
    {
      logLevel: LOG_LEVEL === 'debug' || LOG_LEVEL === 'warn' || LOG_LEVEL === 'error' ? LOG_LEVEL : 'info',
      logFormat: LOG_FORMAT === 'pretty' ? 'pretty' : 'json',
    },
    { process: 'signer' },
  );
  lifetime.log = log;
  return asStartError(async () => {
    const settings = parseSettings(await readPrivateFile(path ?? '', 'The configuration of the signer'));
    const lock = await exclusive(settings.journal, { file: 'journal', holder: 'signer' });
    lifetime.own('lock', () => lock.close());
    const key = await keyOf(settings);
    const journal = await Journal.open(settings.journal, key.address, new Date());
    lifetime.own('journal', () => journal.close());
    const db = openDb({ url: url ?? '', name: `signer ${process.pid}`, ...SIGNER_DB });
    lifetime.own('database', () => db.destroy());
    return { db, log, settings, key, journal, now: () => new Date(), sent: new Map<string, number>() };
  });
}

function urlFaults(url: string | undefined): string[] {
  try {
    if (url) databaseUrl(url);
    return [];
  } catch (error) {
    return [`SIGNER_DATABASE_URL ${error instanceof Error ? error.message : 'is none'}`];
  }
}

async function keyOf({ key }: SignerSettings): Promise<SigningKey> {
  if ('awsKms' in key) return openKmsKey(key.awsKms);
  const { file, passphraseFile } = key.keystore;
  const passphrase = await readPrivateFile(passphraseFile, 'The passphrase file');
  return openKeyFile(file, passphrase.replace(/\r?\n$/, ''));
}

/** Runs `work`; what an operator can change is said without a stack. */
export async function asStartError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isSaid = error instanceof RangeError || isFault(error) || isDenied(error);
    throw isSaid ? new StartError(error.message) : error;
  }
}

/** SQLSTATE: the role may not, or the release has not run. */
const isDenied = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && /^(42501|42P01|EACCES|ENOENT)$/.test(String(error.code));
