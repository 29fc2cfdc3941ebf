import { closeBrowser } from './browser.ts';

/** The browser of a process ends with its tests: of the run, or with `--parallel` of one file. */
export const mochaHooks = { afterAll: closeBrowser };
