import { findFaults } from './setup/heartbeat.ts';

// A probe of liveness for workers without an ADMIN_PORT: exit code 0 while the loop of each worker of this
// host, or of the one whose process id is given, turns.
const [pid] = process.argv.slice(2);
const faults = findFaults(pid === undefined ? null : Number(pid));
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
