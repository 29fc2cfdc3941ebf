import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Context } from 'mocha';
import { testTokenContract } from '../../src/domain/chain/coins.ts';
import { openDb, type Db } from '../../src/platform/postgres/db.ts';
import { build, freePort, ROOT } from '../processes/service.ts';
import { ERC20_CODE, findAnvil, startAnvil, wordOf, type Anvil } from '../support/anvil.ts';
import { read } from '../support/documents.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { serveRates, type ServedRates } from '../support/rate-sites.ts';
import { until } from '../support/until.ts';

const PAGE = 'docs/guides/first-live-payment.md';
const SEPOLIA = 11_155_111;
const TOKEN = testTokenContract('USDC', 'ethereum') ?? '';

/** The commands of each section of the page, by its heading. */
function sectionsOf(): Map<string, string> {
  const sections = read(PAGE).split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [heading = ''] = section.split('\n', 1);
      const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
      return [heading, blocks.join('')] as const;
    }),
  );
}

/** Replaces what the page says by what a machine without Sepolia needs; each of it must stand there. */
function replaced(text: string, values: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [written, value] of Object.entries(values)) {
    expect(result, `${PAGE} has ${written}`).to.include(written);
    result = result.replaceAll(written, value);
  }
  return result;
}

describe(PAGE, function () {
  this.timeout(120_000);
  let anvil: Anvil;
  let rates: ServedRates;
  let database: TestDatabase;
  let db: Db;
  let folder: string;
  let shell: ChildProcess | undefined;

  before(async function (this: Context) {
    const binary = findAnvil();
    if (binary === null) this.skip();
    const built = build();
    folder = mkdtempSync(join(tmpdir(), 'first-live-payment-'));
    symlinkSync(join(built, 'dist'), join(folder, 'dist'));
    symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'));
    [anvil, rates, database] = await Promise.all([
      startAnvil(binary, SEPOLIA, ['--block-time', '1', '--slots-in-an-epoch', '4']),
      serveRates(new Date()),
      createTestDatabase(),
    ]);
    db = openDb({ url: database.url, poolSize: 1, acquireMs: 10_000, queryMs: 10_000, name: 'test' });
    await anvil.rpc('anvil_mine', ['0x20']);
  });
  after(async () => {
    if (shell?.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
    await anvil?.close();
    await rates?.close();
    await db?.destroy();
    await database?.drop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const json = (name: string) =>
    JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, string>;

  /** As the wallet of a customer does, whose token is that of the issuer on Sepolia. */
  async function pay(address: string, units: bigint): Promise<void> {
    const [from = ''] = await anvil.rpc<string[]>('eth_accounts');
    await anvil.rpc('anvil_setCode', [TOKEN, ERC20_CODE]);
    await anvil.rpc('anvil_setStorageAt', [TOKEN, wordOf(from), wordOf(units)]);
    const data = `0xa9059cbb${wordOf(address).slice(2)}${wordOf(units).slice(2)}`;
    await anvil.rpc('eth_sendTransaction', [{ from, to: TOKEN, data, gas: '0x40000' }]);
  }

  it('leads from its variables to a settled payment, command by command', async () => {
    const [web, receiver] = [await freePort(), await freePort()];
    const sections = sectionsOf();
    // Of another machine: these are read by people.
    for (const heading of ['Postgres', 'The service']) {
      expect(sections.get(heading), heading).to.be.a('string').and.not.equal('');
      sections.delete(heading);
    }
    const commands = replaced([...sections.values()].join('echo\n'), {
      'localhost:3000': `127.0.0.1:${web}`,
      'PORT=4000': `PORT=${receiver}`,
      'localhost:4000': `127.0.0.1:${receiver}`,
      'postgres://checkout:choose-one@localhost:5432/checkout': `'${database.url}'`,
      'https://sepolia.one.example/v3/KEY,https://sepolia.two.example/KEY': `${anvil.url},${anvil.url.replace('127.0.0.1', 'localhost')}`,
      // The page says to run it again until all is there.
      'env $(cat watcher.env) node dist/processes/ops.js preflight':
        'retry env $(cat watcher.env) node dist/processes/ops.js preflight',
      'curl -sS "$PAYMENT_CHECKOUT_URL/v1/payment" ':
        'retry curl -sS --fail-with-body "$PAYMENT_CHECKOUT_URL/v1/payment" ',
      'curl -sS "$PAYMENT_CHECKOUT_URL/v1/payment/$PAYMENT"':
        'until [ -e paid ]; do sleep 0.2; done; curl -sS "$PAYMENT_CHECKOUT_URL/v1/payment/$PAYMENT"',
    });
    const retry =
      'retry() { for _ in $(seq 60); do "$@" > tried && { cat tried; return; }; sleep 1; done; cat tried; return 1; }\n';
    writeFileSync(join(folder, 'walk.sh'), `set -e\n${retry}${commands}`);
    const { PATH = '', HOME = '' } = process.env;
    const own = { kraken: 'KRAKEN', coinbase: 'COINBASE', coingecko: 'COINGECKO' } as const;
    const markets = Object.entries(own).map(([name, upper]) => [
      `RATE_URL_${upper}`,
      rates.urls[name as keyof typeof own],
    ]);
    // The watcher comes again when a block is due: here each second.
    const quick = { SIMULATOR_BLOCK_SECONDS: '1' };
    const env = {
      PATH,
      HOME,
      PORT: String(web),
      HOST: '127.0.0.1',
      ...quick,
      ...Object.fromEntries(markets),
    };
    shell = spawn('bash', ['walk.sh'], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    const ended = once(shell, 'close');
    const isOver = () => shell?.exitCode !== null;
    const created = () => existsSync(join(folder, 'payment.json')) && output.includes('/checkout/');
    await until('a payment is created', () => created() || isOver(), 90_000);
    expect(isOver(), output).to.equal(false);
    expect(output)
      .to.match(/, 0 missing, 0 broken\.$/m)
      .and.include('it serves Sepolia');
    const { id = '' } = json('payment.json');
    const address = await queried('SELECT address AS value FROM payments WHERE id = ?', id);
    await pay(address, 5_000_000n);
    const settled = async () =>
      (await queried('SELECT status AS value FROM payments WHERE id = ?', id)) === 'SETTLED';
    await until('it is settled', settled, 60_000);
    const received = () => readFileSync(join(folder, 'receiver.log'), 'utf8');
    await until('its receiver was told', () => received().includes('checkout.settled 4'), 30_000);
    writeFileSync(join(folder, 'paid'), '');
    await ended;
    for (const text of ['"status":"SETTLED"', '"mode":"par"', 'ethereum: head ', address.toLowerCase()])
      expect(output.toLowerCase()).to.include(text.toLowerCase());
    for (const line of ['created 1', 'pending 2', 'processing 3', 'settled 4'])
      expect(received()).to.include(`checkout.${line}: order order-1 is `);
    expect(output, 'the providers are secrets').to.not.include('RPC_URLS_ETHEREUM=');
  });

  async function queried(statement: string, id: string): Promise<string> {
    const { rows } = (await db.raw(statement, [id])) as { rows: { value: string }[] };
    return rows[0]?.value ?? '';
  }
});
