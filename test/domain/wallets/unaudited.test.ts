import { expect } from 'chai';
import { formsOf, WALLET_KIND_IDS } from '../../../src/domain/chain/wallets/kinds.ts';
import { setEmail } from '../../../src/domain/merchants/store.ts';
import { findMerchant } from '../../../src/domain/ops/preflight/merchant.ts';
import { walletCheck } from '../../../src/domain/ops/preflight/wallet.ts';
import { WalletResource } from '../../../src/domain/wallets/schemas.ts';
import type { Context } from '../../../src/platform/context.ts';
import { USAGE } from '../../../src/processes/setup/command-line.ts';
import { parseOpsCommand } from '../../../src/processes/setup/ops/commands.ts';
import { WALLET_COMMANDS } from '../../../src/processes/setup/wallets/commands.ts';
import { DOCUMENTS, read } from '../../support/documents.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { startMailServer, type MailServer } from '../../support/mail-server.ts';
import { TREASURY, useWallet } from '../../support/wallets.ts';

const look = async (ctx: Context, id: string) => walletCheck(ctx, await findMerchant(ctx, id)).look();

const SAID = /unaudited|nobody has audited/i;

describe('that nobody has audited forwarders', () => {
  it('is said on every page that names them, the decisions and the list of changes aside', () => {
    const pages = DOCUMENTS.filter((file) => !/^docs\/adr\/|^CHANGELOG/.test(file)).filter((file) =>
      /\bforwarders?\b/i.test(read(file)),
    );
    expect(pages).to.have.length.above(5);
    // A page wraps its lines.
    const text = (file: string) => read(file).replaceAll(/\s+/g, ' ');
    expect(pages.filter((file) => !SAID.test(text(file)))).to.deep.equal([]);
  });

  it('is said in their source, in the help of commands, and in the API', () => {
    expect(WALLET_KIND_IDS.filter((kind) => formsOf(kind).some((form) => form.isUnaudited))).to.deep.equal([
      'forwarder',
    ]);
    for (const contract of ['Forwarder', 'Flush']) expect(read(`contracts/${contract}.sol`)).to.match(SAID);
    expect(USAGE).to.match(/--kind .*\bforwarder \(unaudited\)/);
    const help = parseOpsCommand(['wallet', 'flush', '--help']);
    expect('help' in help && help.help).to.match(SAID);
    expect(WalletResource.properties.kind).to.have.property('description').that.match(SAID);
  });

  describe('to those who set one', () => {
    let harness: Harness;
    let server: MailServer;
    beforeEach(async () => {
      server = await startMailServer();
      harness = await createHarness({ SMTP_URL: server.url });
    });
    afterEach(async () => {
      await harness.close();
      await server.close();
    });

    it('is said when a wallet is set, confirmed and listed, by each mail, and by the preflight', async () => {
      const { ctx, merchant } = harness;
      await setEmail(ctx.db, merchant.id, 'owner@shop.example');
      const { id } = await useWallet(ctx, merchant.id, { kind: 'forwarder' });
      const run = async (name: string, values: Record<string, string>) => {
        const command = WALLET_COMMANDS[name];
        if (command === undefined) throw new Error(`there is no ${name}`);
        const result = await command.run(ctx, values);
        return `${command.text?.(result) ?? ''}\n${command.notice?.(values, result) ?? ''}`;
      };
      const value = { merchant: merchant.id, kind: 'forwarder', value: TREASURY };
      expect(await run('wallet set', value)).to.match(SAID);
      expect(await run('wallet confirm', { wallet: id, address: TREASURY })).to.match(SAID);
      expect(await run('wallet list', {})).to.match(SAID);
      await harness.work();
      expect(server.mails).to.have.length.above(1);
      for (const { source } of server.mails) expect(source).to.match(SAID);
      expect(JSON.stringify(await look(ctx, merchant.id))).to.match(SAID);
      const none = await harness.addMerchant({ mode: 'live' });
      expect(JSON.stringify(await look(ctx, none.id))).to.match(SAID);
    });

    it('is not said of an xpub', async () => {
      const { ctx, merchant } = harness;
      await setEmail(ctx.db, merchant.id, 'owner@shop.example');
      await useWallet(ctx, merchant.id);
      await harness.work();
      for (const { source } of server.mails) expect(source).to.not.match(SAID);
      expect(JSON.stringify(await look(ctx, merchant.id))).to.not.match(SAID);
    });
  });
});
