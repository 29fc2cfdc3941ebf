import { expect } from 'chai';
import { addPerson } from '../../src/domain/people/sessions/accounts.ts';
import { insertNewSession } from '../../src/domain/people/sessions/store.ts';
import {
  askProxy,
  CELL_PROXIES,
  openCells,
  writeCellsFile,
  type Asked,
  type Cells,
  type CellStand,
} from '../support/cell-proxies.ts';
import { hasProgram, type RunningProxy } from '../support/proxies.ts';
import { ORDER, requestOf, sendRaw, smuggled } from '../support/smuggled.ts';

const EVIL = 'evil.example';

/** Other ways to write that a path is of the desk, or the page, of cell b: they name another cell as well. */
const PATHS = [
  '/DASHBOARD/B/account',
  '//dashboard//b//account',
  '/dashboard/%62/account',
  '/dashboard%2fb/account',
  '/dashboard/b%2faccount',
  '/dashboard/a/../b/account',
  '/dashboard/a/%2e%2e/b/account',
  '/dashboard/a/..%2fb/account',
  '/v1/../dashboard/b/account',
  '/dashboard/b;a/account',
  '/dashboard\\b/account',
  '/docs/../v1/payments',
  '/checkout/assets/%2e%2e/b.token',
  '/checkout/a.token/../b.token',
  `//${EVIL}/dashboard/b/account`,
  `/dashboard//${EVIL}/`,
];

describe('cells under attack', function () {
  this.timeout(120_000);
  let cells: Cells;
  const sessions: Record<string, string> = {};
  before(async () => {
    cells = await openCells();
    for (const cell of Object.values(cells.cells)) sessions[cell.name] = await signIn(cell);
  });
  after(() => cells.close());

  for (const proxy of CELL_PROXIES) {
    if (!hasProgram(proxy.program)) {
      it(`(needs ${proxy.program} on the PATH)`);
      continue;
    }
    describe(proxy.program, () => {
      let running: RunningProxy;
      before(async () => {
        running = await proxy.start(cells, writeCellsFile(cells));
      });
      after(() => running.stop());

      const ask = (path: string, asked?: Asked) => askProxy(cells, path, asked);

      it('a key and a token of one cell are nobody in another, whatever cell is written in front', async () => {
        const { b } = cells.cells;
        const key = b.merchant.apiKey;
        const made = await ask('/v1/payment', { method: 'POST', key, body: ORDER });
        expect(made.status, made.text).to.equal(201);
        const { token_id: token } = JSON.parse(made.text) as { token_id: string };
        for (const other of ['a', 'c', 'zz']) {
          const renamed = { key: key.replace('_b_', `_${other}_`), token: token.replace('b.', `${other}.`) };
          expect([renamed.key, renamed.token]).to.not.include.members([key, token]);
          expect((await ask('/v1/payments', { key: renamed.key })).status, other).to.equal(401);
          expect((await ask(`/checkout/${renamed.token}`)).status, other).to.equal(404);
        }
        for (const bare of [key.replace('_b_', '_'), `${key}, ${key}`])
          expect((await ask('/v1/payments', { key: bare })).status).to.equal(401);
      });

      it('a session of one desk signs in to no other, under none of its names', async () => {
        const { b = '' } = sessions;
        const named = (name: string) => ({ headers: { Cookie: `__Host-${name}=${b}` } });
        const whereTo = async (cell: string, name: string) =>
          (await ask(`/dashboard/${cell}`, named(name))).headers.location ?? '';
        expect(await whereTo('b', 'desk.b')).to.not.include('sign-in');
        for (const other of ['a', 'c'])
          for (const name of ['desk.b', `desk.${other}`, 'desk'])
            expect(await whereTo(other, name), `${other} ${name}`).to.match(
              new RegExp(`^/dashboard/${other}/sign-in`),
            );
      });

      it('a form is taken from pages of its own host alone, in each cell', async () => {
        for (const headers of [
          { Origin: `https://${EVIL}` },
          { Origin: 'null' },
          { 'Sec-Fetch-Site': 'cross-site', Origin: `https://localhost:${cells.port}` },
          { Origin: `https://${EVIL}`, 'X-Forwarded-Host': EVIL },
        ]) {
          const posted = await ask('/dashboard/b/sign-in', { method: 'POST', headers });
          expect(posted.status).to.equal(403);
        }
      });

      it('a path that is written another way breaks nothing, and leads to no other host', async () => {
        for (const path of PATHS) {
          const { status, headers } = await ask(path, { headers: { Cookie: `__Host-desk.b=${sessions.b}` } });
          expect(status, path).to.be.within(200, 499);
          expect(headers.location ?? '/', path).to.match(/^\/(?![/\\])/);
        }
      });

      it('what a client says of its host is in nothing that the service says', async () => {
        const { merchant } = cells.cells.b;
        const headers = {
          Host: EVIL,
          'X-Forwarded-Host': EVIL,
          'X-Forwarded-Proto': 'http',
          Forwarded: `host=${EVIL}`,
        };
        const made = await ask('/v1/payment', { method: 'POST', key: merchant.apiKey, body: ORDER, headers });
        const { checkout_url: url } = JSON.parse(made.text) as { checkout_url: string };
        expect(url).to.match(new RegExp(`^https://localhost:${cells.port}/checkout/b\\.`));
        for (const path of [new URL(url).pathname, '/dashboard/b', '/dashboard/b/sign-in', '/dashboard'])
          expect(JSON.stringify(await ask(path, { headers })), path).to.not.include(EVIL);
      });

      it('what is smuggled behind a request is none', async () => {
        const { b } = cells.cells;
        const count = async () => (await b.rows('SELECT FROM payments')).length;
        const hidden = requestOf(b.merchant.apiKey);
        const before = await count();
        expect(await sendRaw(cells.port, hidden)).to.match(/^HTTP\/1\.1 201/);
        expect(await count()).to.equal(before + 1);
        for (const [name, sent] of Object.entries(smuggled(hidden))) {
          const answer = await sendRaw(cells.port, sent);
          expect(answer.match(/HTTP\/1\.1 \d+/g), name).to.have.lengthOf(1);
          expect(await count(), name).to.equal(before + 1);
        }
      });
    });
  }
});

/** A person of the cell's merchant is signed in; returns their session's token. */
async function signIn({ db, merchant, name }: CellStand): Promise<string> {
  const now = new Date();
  return db.transaction(async (tx) => {
    const person = await addPerson(tx, `ann@${name}.example`, 'a hash of no password', now);
    if (person === null) throw new Error('there is somebody already');
    await tx('memberships').insert({
      merchant_id: merchant.id,
      person_id: person,
      role: 'owner',
      created_at: now,
    });
    return insertNewSession(tx, person, { address: '127.0.0.2', agent: 'test' }, { now, factorAt: now });
  });
}
