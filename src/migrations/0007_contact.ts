import type { Knex } from 'knex';

/** Where a merchant is told of what needs a person. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE merchants ADD COLUMN contact_email text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE merchants DROP COLUMN contact_email');
}
