import { randomBytes } from 'node:crypto';
import { recordset, run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { hashApiKey } from '../../../platform/values/ids.ts';

const CODES = 10;
/** 80 bits: the hash of one needs neither salt nor stretching. */
const CODE_BYTES = 10;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUP = /.{4}/g;

const insertCodes = sql<never, { personId: string; codes: string }>(
  'insert_recovery_codes',
  (p) => `
    INSERT INTO recovery_codes (person_id, code_hash)
    SELECT ${p.personId}, decode(made.hash, 'hex')
    FROM json_to_recordset(${p.codes}::json) AS made (hash text)`,
);
const deleteCodes = sql<never, { personId: string }>(
  'delete_recovery_codes',
  (p) => `DELETE FROM recovery_codes WHERE person_id = ${p.personId}`,
);

/** Makes new codes in the place of a person's earlier ones, and returns them: they are shown once. */
export async function replaceRecoveryCodes(tx: Tx, personId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await run(tx, deleteCodes, { personId });
  const hashes = codes.map((code) => ({ hash: hashOf(code).toString('hex') }));
  await run(tx, insertCodes, { personId, codes: recordset(hashes) });
  return codes;
}

/** `7K2M-9QWE-...`: sixteen letters and digits without those that look alike. */
function newCode(): string {
  let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`);
  let text = '';
  for (let i = 0; i < (CODE_BYTES * 8) / 5; i += 1) {
    text += ALPHABET.charAt(Number(bits & 31n));
    bits >>= 5n;
  }
  return text.match(GROUP)?.join('-') ?? text;
}

/** However it is typed. */
function hashOf(code: string): Buffer {
  return hashApiKey(
    code
      .toUpperCase()
      .replaceAll('O', '0')
      .replaceAll(/[IL]/g, '1')
      .replaceAll(/[^0-9A-Z]/g, ''),
  );
}

const deleteCode = sql<{ person_id: string }, { personId: string; codeHash: Buffer }>(
  'use_recovery_code',
  (p) => `
    DELETE FROM recovery_codes WHERE person_id = ${p.personId} AND code_hash = ${p.codeHash}
    RETURNING person_id`,
);

/** Whether the code is one of the person's that was not used before: then it is used now. */
export async function useRecoveryCode(
  connection: Connection,
  personId: string,
  code: string,
): Promise<boolean> {
  return (await runOne(connection, deleteCode, { personId, codeHash: hashOf(code) })) !== null;
}

const codesLeft = sql<{ codes: number }, { personId: string }>(
  'count_recovery_codes',
  (p) => `SELECT count(*)::int AS codes FROM recovery_codes WHERE person_id = ${p.personId}`,
);

/** Returns how many codes a person has left. */
export async function countRecoveryCodes(connection: Connection, personId: string): Promise<number> {
  return (await runOne(connection, codesLeft, { personId }))?.codes ?? 0;
}
