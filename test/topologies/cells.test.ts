import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { lookupOf } from '../../src/platform/cells/moved.ts';
import { newToken } from '../../src/platform/values/ids.ts';
import {
  askProxy,
  CELL_PROXIES,
  CLIENT,
  openCells,
  writeCellsFile,
  type Answered,
  type Asked,
  type Cells,
  type CellStand,
} from '../support/cell-proxies.ts';
import { hasProgram, type RunningProxy } from '../support/proxies.ts';
import { until } from '../support/until.ts';

const ORDER = { pay_amount: '10.50', order_id: 'order-1' };

interface Created {
  readonly id: string;
  readonly token_id: string;
  readonly checkout_url: string;
}

describe('cells behind a proxy', function () {
  this.timeout(120_000);
  let cells: Cells;
  /** Keys of before there were cells. */
  const old = { stayed: `sk_test_${newToken()}`, moved: `sk_test_${newToken()}` };
  /** The token of a payment that moved from a to b. */
  let movedToken = '';
  before(async () => {
    cells = await openCells();
    const { a, b } = cells.cells;
    await giveKey(a, old.stayed);
    await giveKey(b, old.moved);
    movedToken = `a.${newToken()}`;
    const created = await fetch(`http://127.0.0.1:${b.webPort}/v1/payment`, {
      method: 'POST',
      headers: { 'X-API-Key': b.merchant.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(ORDER),
    });
    const { id } = (await created.json()) as Created;
    await b.rows('UPDATE payments SET token_id = ? WHERE id = ?', [movedToken, id]);
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
        const lines = [old.moved, movedToken].map((sent) => `${lookupOf(sent)} b\n`);
        writeFileSync(join(cells.folder, 'moved.map'), proxy.looksUp ? lines.join('') : '');
        running = await proxy.start(cells, writeCellsFile(cells));
      });
      after(() => running.stop());

      const ask = (path: string, asked?: Asked) => askProxy(cells, path, asked);
      const create = async ({ merchant }: CellStand) => {
        const made = await ask('/v1/payment', { method: 'POST', key: merchant.apiKey, body: ORDER });
        expect(made.status, made.text).to.equal(201);
        return JSON.parse(made.text) as Created;
      };

      it('a key, the token of a page and the path of a desk lead to their cell', async () => {
        for (const cell of Object.values(cells.cells)) {
          const { id, token_id: token } = await create(cell);
          expect(await cell.rows('SELECT FROM payments WHERE id = ?', [id])).to.have.lengthOf(1);
          expect(token).to.match(new RegExp(`^${cell.name}\\.`));
          for (const path of [`/checkout/${token}`, `/CHECKOUT/${token}/status`])
            expect((await ask(path)).status, path).to.equal(200);
          const desk = await ask(`/dashboard/${cell.name}/sign-in`);
          expect(desk.status).to.equal(200);
          expect(desk.text).to.include(`/dashboard/${cell.name}/`);
        }
      });

      it('a key of before there were cells leads to the default cell, and so does a path without one', async () => {
        const { status, text } = await ask('/v1/status', { key: old.stayed });
        expect(status).to.equal(200);
        expect(JSON.parse(text)).to.include({ merchant_id: cells.cells.a.merchant.id });
        expect((await ask('/dashboard')).headers.location).to.match(/^\/dashboard\/a\b/);
      });

      /** Waits until the log says that cell b was asked for a path that begins so. */
      const untilAskedOfB = (path: string) =>
        until(`cell b was asked for ${path}`, () =>
          new RegExp(`GET ${path} .* (b_(api|pages)/web1|b 127\\.0\\.0\\.1:\\d+) `).test(running.log()),
        );

      it("a merchant's public keys are read from the cell that their address says", async () => {
        const { status } = await ask(`/v1/webhooks/jwks/b.${cells.cells.b.merchant.id}`);
        expect(status).to.equal(200);
        await untilAskedOfB('/v1/webhooks/jwks');
      });

      const itLookingUp = proxy.looksUp ? it : it.skip;
      itLookingUp('what was moved leads to the cell of the map, whatever it says itself', async () => {
        const { text } = await ask('/v1/status', { key: old.moved });
        expect(JSON.parse(text)).to.include({ merchant_id: cells.cells.b.merchant.id });
        expect((await ask(`/checkout/${movedToken}`)).status).to.equal(200);
        // There is no such logo: the log says which cell was asked.
        await ask(`/checkout/logos/${movedToken}.webp`);
        await untilAskedOfB('/checkout/logos');
      });

      it('an unknown cell and an unknown key get the 401 of the API, an unknown token its 404', async () => {
        const { c } = cells.cells;
        for (const key of [`sk_test_zz_${newToken()}`, `sk_test_c_${newToken()}`, 'no-key']) {
          const refused = await ask('/v1/payments', { key });
          expect(refused.status).to.equal(401);
          expect(errorOf(refused)).to.include({
            statusCode: 401,
            error: 'Unauthorized',
            path: '/v1/payments',
          });
          expect(refused.headers).to.include.keys('x-request-id', 'x-ratelimit-limit');
        }
        expect(errorOf(await ask('/v1/payments'))).to.include({ statusCode: 401 });
        expect((await ask(`/v1/payment/pay_0`, { key: c.merchant.apiKey })).status).to.equal(404);
        for (const path of [
          `/checkout/zz.${newToken()}`,
          `/checkout/c.${newToken()}`,
          '/l/zz.x',
          '/dashboard/zz/x',
        ]) {
          const missing = await ask(path);
          expect(missing.status, path).to.equal(404);
          expect(missing.headers['content-type'], path).to.match(/^text\/html/);
        }
      });

      it("a client's address is that of its connection, whatever it writes itself", async () => {
        const { c } = cells.cells;
        const key = await giveKey(c, `sk_test_c_${newToken()}`, ['192.0.2.1']);
        for (const forged of ['192.0.2.1', '192.0.2.1, 127.0.0.1', ' ', '127.0.0.1']) {
          const refused = await ask('/v1/payments', { key, headers: { 'X-Forwarded-For': forged } });
          expect(refused.status).to.equal(403);
          expect(errorOf(refused).message).to.include(`from the address ${CLIENT}`);
        }
      });

      it('no key and no token is in what it has logged', async () => {
        const { token_id: token } = await create(cells.cells.c);
        const key = cells.cells.c.merchant.apiKey;
        for (const path of [
          `/checkout/${token}?lang=de`,
          `/%63heckout/${token}`,
          `/x/checkout/${token}`,
          `/v1/payment/${key}?key=${key}`,
          `/till/pair/${token}`,
        ])
          await ask(path, {
            key,
            headers: {
              Referer: `https://pay/checkout/${token}`,
              Cookie: `__Host-till=${token}`,
              Authorization: key,
            },
          });
        const log = running.log();
        expect(log).to.include('/checkout').and.include('/v1/payment');
        for (const secret of [token, key])
          for (const part of [secret.slice(-32, -12), secret.slice(-20)]) expect(log).to.not.include(part);
      });
    });
  }
});

function errorOf({ text }: Answered): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

/** Gives the cell's merchant a key, as it was made elsewhere or at another time. */
async function giveKey(cell: CellStand, key: string, addresses: string[] | null = null): Promise<string> {
  await cell.rows(
    `INSERT INTO api_keys (key_hash, merchant_id, visible_prefix, permissions, created_at, allowed_addresses)
     SELECT decode(?, 'hex'), merchant_id, ?, permissions, created_at, ? FROM api_keys
     WHERE merchant_id = ? LIMIT 1`,
    [lookupOf(key), key.slice(0, 13), addresses, cell.merchant.id],
  );
  return key;
}
