import type { Environment } from '../src/platform/config/config.ts';
import { isProduction } from '../src/platform/config/production.ts';
import { openCommand, type OpenCommand } from '../src/processes/setup/command-context.ts';
import { configFrom, withSecrets } from '../src/processes/setup/context.ts';
import { readDevInfo } from './demo.ts';
import { openEmbeddedDatabase, PLACEHOLDER_URL } from './embedded.ts';

/**
 * The context of a command in a checkout: without DATABASE_URL it runs on the embedded database, which is
 * migrated. That one is of development, unless NODE_ENV says otherwise. Throws ConfigError and StartError.
 */
export const openDevelopmentCommand: OpenCommand = async (lifetime, name, processEnv, options) => {
  const given = withSecrets(processEnv);
  const running = readDevInfo();
  const isOfDevelopment = !given.DATABASE_URL || given.DATABASE_URL === running.database_url;
  const env: Environment = {
    ...given,
    // Links lead to where `npm run dev` serves.
    ...(isOfDevelopment && !given.PUBLIC_URL ? { PUBLIC_URL: running.base_url } : {}),
    NODE_ENV: given.NODE_ENV || (isOfDevelopment ? 'development' : undefined),
  };
  if (env.DATABASE_URL || isProduction(env)) return openCommand(lifetime, name, env, options);
  // Before the database starts: a faulty variable must leave nothing running.
  configFrom({ ...env, DATABASE_URL: PLACEHOLDER_URL }, { showsLinks: false });
  const DATABASE_URL = await openEmbeddedDatabase(lifetime, { borrow: true });
  return openCommand(lifetime, name, { ...env, DATABASE_URL }, options);
};
