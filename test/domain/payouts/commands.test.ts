import { expect } from 'chai';
import { OpsUsageError } from '../../../src/processes/setup/shared/command.ts';
import { parseOpsCommand } from '../../../src/processes/setup/ops/commands.ts';
import { execute } from '../../../dev/embedded-postgres/databases.ts';
import { loadMigration } from '../../../src/platform/postgres/migrate.ts';
import { eachShop } from '../../support/each-shop.ts';
import { newAddress, useEvmStand } from '../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../support/harness.ts';
import { privateFile } from '../../support/key-file.ts';
import { SignerStand } from '../../support/signer-stand.ts';

describe('npm run ops -- payouts', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let stand: SignerStand;
  let id: string;
  let file: string;
  const address = newAddress();
  eachShop(async ({ harness: opened, shop }) => {
    harness = opened;
    stand = new SignerStand(standOf(), harness, shop);
    await stand.begin();
    id = await stand.insert({ amount: '600', address });
    file = await privateFile(stand.approver.export({ format: 'pem', type: 'pkcs8' }).toString());
  });
  afterEach(() => stand.close());

  const output = { progress: () => undefined, write: () => Promise.resolve(), end: () => Promise.resolve() };
  const ops = async (...args: string[]) => {
    const command = parseOpsCommand(['payouts', ...args]);
    if ('help' in command) throw new Error('help');
    return command.run(harness.ctx, output);
  };
  const approve = (own: Record<string, string> = {}) => {
    const said = { address, amount: '600.00', coin: 'USDC', network: 'ethereum' };
    const given = { refund: id, ...said, approver: 'Ann', 'key-file': file, ...own };
    return ops('approve', ...Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]));
  };
  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => (error instanceof OpsUsageError ? error.message : String(error)),
    );
  const actions = () => harness.ctx.db('operator_actions').orderBy('id').select('command', 'details');

  it('approve signs what a person says, which the signer takes, and writes down who', async () => {
    await stand.pass();
    const listed = await ops('list');
    expect(listed.text).to.include(`${id} waiting: 600 USDC on ethereum to ${address} (NO SUCH REFUND)`);
    expect((await approve()).text).to.equal(`Ann has approved 600.00 USDC to ${address}.`);
    await stand.pass();
    expect(await stand.stateOf(id)).to.equal('signed');
    const [action] = await actions();
    expect(action.command).to.equal('payouts approve');
    expect(action.details).to.include({ refund: id, approver: 'Ann', amount: '600.00', address });
  });

  it('approve refuses another address or amount than the person says, a key of another kind, and what is unknown', async () => {
    await harness.ctx.db('payout_intents').update({ address: newAddress() });
    expect(await faultOf(approve())).to.match(/^Not approved: ref_\w+ asks for 600 USDC on ethereum to 0x/);
    await harness.ctx.db('payout_intents').update({ address, amount: '6000' });
    expect(await faultOf(approve())).to.match(/^Not approved/);
    await harness.ctx.db('payout_intents').update({ amount: '600' });
    for (const [own, said] of [
      [{ amount: 'all' }, /^Not approved/],
      [{ coin: 'ETH' }, /^Not approved: ref_\w+ asks for 600 USDC on ethereum/],
      [{ network: 'polygon' }, /^Not approved/],
      [{ refund: 'ref_X' }, /was not asked to pay ref_X/],
      [{ 'key-file': await privateFile('hunter2') }, /is no PEM/],
      [{ 'key-file': await privateFile('hunter2', 0o644) }, /mode 644: chmod 600/],
    ] as const)
      expect(await faultOf(approve(own))).to.match(said);
    expect(await actions()).to.deep.equal([]);
  });

  it('list shows what was written into rows in a line, without what a terminal obeys', async () => {
    await stand.insert({ address: '0x\u001b[2J\nref_X paid: all' });
    await harness.ctx.db('payout_accounts').update({ held_because: '\u001b[8mhidden\u202e' });
    const { text } = await ops('list');
    expect(text).to.not.match(/[^\P{C}\n]/u);
    expect(text).to.not.match(/^ref_X/m);
    expect(text).to.match(/ to 0x.\[2J ref_X paid: all /);
  });

  it('hold and release a payout and an account, each written down', async () => {
    expect(await ops('hold', '--refund', id)).to.deep.include({ text: `${id} is held.`, isBad: false });
    expect((await ops('list')).isBad, 'a person knows').to.equal(false);
    expect((await ops('release', '--refund', id)).text).to.equal(`${id} is looked at again.`);
    expect((await ops('release', '--refund', id)).isBad).to.equal(true);
    await harness.ctx.db('payout_accounts').update({ held_because: 'a reason' });
    const listed = await ops('list');
    expect([listed.isBad, listed.text.includes('HELD: a reason')]).to.deep.equal([true, true]);
    await ops('release', '--network', 'ethereum');
    expect((await ops('list')).isBad).to.equal(false);
    expect(await faultOf(ops('release'))).to.match(/needs --refund or --network/);
    expect((await actions()).map(({ command }) => command)).to.deep.equal([
      'payouts hold',
      'payouts release',
      'payouts release',
    ]);
  });

  it('grant names a role that is missing, and takes from a role what is not its part', async () => {
    expect(await faultOf(ops('grant', '--signer', 'nobody_of_this_name'))).to.match(
      /^There is no role nobody_/,
    );
    expect(await faultOf(ops('grant'))).to.match(/needs --signer or --worker/);
    const role = new URL(stand.signerUrl).username;
    const may = async () =>
      (
        await harness.ctx.db.raw(
          `SELECT table_name || ' ' || string_agg(privilege_type, ',' ORDER BY privilege_type) AS may
          FROM information_schema.role_table_grants WHERE grantee = ? GROUP BY table_name ORDER BY 1`,
          [role],
        )
      ).rows.map((row: { may: string }) => row.may);
    const usual = [
      'payout_accounts INSERT,SELECT,UPDATE',
      'payout_intents SELECT',
      'payout_stops SELECT',
      'payouts INSERT,SELECT,UPDATE',
    ];
    expect(await may()).to.deep.equal(usual);
    await harness.ctx.db.raw(`GRANT ALL ON payout_intents, payout_stops, payouts TO ${role}`);
    await ops('grant', '--signer', role);
    expect(await may()).to.deep.equal(usual);
  });

  it('grant nothing by the release where there is no role of the usual names, and those that are there', async () => {
    const { databaseUrl } = harness.ctx.config;
    const [text = ''] = loadMigration('0100_payout_stops').statements;
    const grants = text.slice(text.indexOf('DO $$'));
    const may = async () =>
      (
        await harness.ctx.db.raw(
          `SELECT grantee || ' ' || table_name || ' ' || privilege_type AS may
          FROM information_schema.role_table_grants WHERE grantee IN ('checkout_signer', 'checkout_worker')
            AND table_name = 'payout_intents' ORDER BY 1`,
        )
      ).rows.map((row: { may: string }) => row.may);
    expect(await may()).to.deep.equal([]);
    await execute(databaseUrl, 'CREATE ROLE checkout_signer', 'CREATE ROLE checkout_worker');
    try {
      await execute(databaseUrl, grants);
      expect(await may()).to.deep.equal([
        'checkout_signer payout_intents SELECT',
        'checkout_worker payout_intents INSERT',
      ]);
    } finally {
      const names = 'checkout_signer, checkout_worker';
      await execute(databaseUrl, `DROP OWNED BY ${names}`, `DROP ROLE ${names}`);
    }
  });
});
