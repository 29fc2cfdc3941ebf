import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { execute, withDatabase } from '../../dev/embedded-postgres/databases.ts';
import { build, endAll, startProcess } from '../processes/service.ts';
import { read } from '../support/documents.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

/** deploy/compose/postgres.sql as psql runs it, for a role of the test's own. */
function initialisation(role: string, password: string): string[] {
  return read('deploy/compose/postgres.sql')
    .replaceAll(/^(--|\\set).*$/gm, '')
    .replaceAll(/\bcheckout\b/g, role)
    .replace(":'password'", `'${password}'`)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

describe('the role of the service in Postgres', function () {
  this.timeout(90_000);
  const role = `checkout_${randomBytes(4).toString('hex')}`;
  let administration: string;
  let url: string;
  let template: TestDatabase;
  let folder: string;

  before(async () => {
    build();
    template = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'postgres-role-'));
    administration = withDatabase(template.url, 'postgres');
    for (const statement of initialisation(role, 'of-the-role')) await execute(administration, statement);
    const own = new URL(withDatabase(template.url, role));
    own.username = role;
    own.password = 'of-the-role';
    url = own.href;
  });
  afterEach(endAll);
  after(async () => {
    await execute(
      administration,
      `DROP DATABASE IF EXISTS ${role} WITH (FORCE)`,
      `DROP ROLE IF EXISTS ${role}_2`,
      `DROP ROLE IF EXISTS ${role}`,
    );
    await template.drop();
    rmSync(folder, { recursive: true });
  });

  it('is no superuser, and is all that release, web and worker need, with the queues in Postgres too', async () => {
    const path = join(folder, 'database_url');
    writeFileSync(path, `${url}\n`);
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL_FILE: path,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      PUBLIC_URL: 'https://pay.example',
      HOST: '127.0.0.1',
      PORT: '0',
      TMPDIR: folder,
    };
    const release = startProcess('release', env);
    expect(await release.ended(), release.output()).to.equal(0);
    const web = startProcess('web', env);
    const worker = startProcess('worker', env);
    await web.says('"listening"');
    await worker.says('"working"');
    for (const service of [web, worker]) service.signal('SIGTERM');
    expect([await web.ended(), await worker.ended()]).to.deep.equal([0, 0]);

    // docs/operations/passwords.md: another role takes its place, and the first one may not sign in any more.
    const [, statements = ''] = /```sql\n(.*?)```/s.exec(read('docs/operations/passwords.md')) ?? [];
    const rotation = statements.replaceAll(/\bcheckout(?=\b|_2)/g, role).split(';');
    expect(rotation).to.have.lengthOf(3);
    await execute(administration, ...rotation.slice(0, 2), `ALTER ROLE ${role} NOLOGIN`);
    const second = new URL(url);
    [second.username, second.password] = [`${role}_2`, 'NEW'];
    writeFileSync(path, second.href);
    const released = startProcess('release', env);
    expect(await released.ended(), released.output()).to.equal(0);
    const restarted = startProcess('web', env);
    await restarted.says('"listening"');
    restarted.signal('SIGTERM');
    expect(await restarted.ended()).to.equal(0);

    const client = new Client({ connectionString: second.href });
    await client.connect();
    const { rows } = await client.query(
      'SELECT rolsuper, rolcreatedb, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = current_user',
    );
    await client.end();
    expect(rows).to.deep.equal([
      { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolbypassrls: false },
    ]);
  });
});
