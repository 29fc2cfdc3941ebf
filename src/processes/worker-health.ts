import { findFaults } from './setup/heartbeat.ts';

// For the container's health check: exit code 0 while the workers of this host, or the one whose process id
// is given, finish what is due.
const [pid] = process.argv.slice(2);
const faults = findFaults(pid === undefined ? null : Number(pid));
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
