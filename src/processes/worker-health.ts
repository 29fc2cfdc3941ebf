import { isBeating } from './setup/heartbeat.ts';

// For the container's health check: exit code 0 while the worker beside it moves work.
process.exit(isBeating() ? 0 : 1);
