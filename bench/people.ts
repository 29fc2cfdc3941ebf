import { createHash, randomBytes } from 'node:crypto';
import type { Client } from 'pg';

/** Adds owners of a merchant who are signed in at the desk, and returns their cookies. */
export async function addPeople(db: Client, merchantId: string, count: number): Promise<string[]> {
  const cookies: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const token = randomBytes(24).toString('base64url');
    const id = `per_${String(i).padStart(26, '0')}`;
    const email = `person-${i}@shop.example`;
    await db.query(`INSERT INTO people (id, email, email_folded, created_at) VALUES ($1, $2, $2, now())`, [
      id,
      email,
    ]);
    await db.query(
      `INSERT INTO memberships (merchant_id, person_id, role, created_at) VALUES ($1, $2, 'owner', now())`,
      [merchantId, id],
    );
    await db.query(
      `INSERT INTO person_sessions (id, token_hash, person_id, created_at, seen_at, factor_at, address, agent)
       VALUES ($1, $2, $3, now(), now(), now(), '127.0.0.1', 'bench')`,
      [`ses_${String(i).padStart(26, '0')}`, createHash('sha256').update(token).digest(), id],
    );
    cookies.push(`__Host-desk=${token}`);
  }
  return cookies;
}
