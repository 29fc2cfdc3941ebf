import type { Handler } from '../../platform/job.ts';
import { autopay } from './autopay.ts';
import { payBySimulator } from './jobs.ts';

export const sandboxHandlers: readonly Handler[] = [{ job: payBySimulator, handle: autopay }];
