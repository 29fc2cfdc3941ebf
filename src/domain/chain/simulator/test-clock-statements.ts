import { sql } from '../../../platform/postgres/sql.ts';

export const copyHead = sql<never, { from: string; to: string }>(
  'sim_copy_head',
  (p) => `
    INSERT INTO sim_heads (chain, height, mined_at, changes)
    SELECT ${p.to}, height, mined_at, changes FROM sim_heads WHERE chain = ${p.from} FOR UPDATE
    ON CONFLICT DO NOTHING`,
);

export const moveTransfers = sql<never, { from: string; to: string; address: string }>(
  'sim_move_transfers',
  (p) => `UPDATE sim_transfers SET chain = ${p.to} WHERE chain = ${p.from} AND address = ${p.address}`,
);

export const discardTransfers = sql<never, { chains: readonly string[] }>(
  'sim_discard_transfers',
  (p) => `DELETE FROM sim_transfers WHERE chain = ANY (${p.chains})`,
);

export const discardHeads = sql<never, { chains: readonly string[] }>(
  'sim_discard_heads',
  (p) => `DELETE FROM sim_heads WHERE chain = ANY (${p.chains})`,
);
