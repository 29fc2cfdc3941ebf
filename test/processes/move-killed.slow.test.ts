import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { setWebhookConfig } from '../../src/domain/webhooks/endpoints/settings.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { createMoveCommands, MOMENTS, UNDECIDED, type MoveCommands } from './killed-move.ts';
import { createStand, type Stand, type Web } from './stand.ts';

describe('a move of a merchant that is killed', function () {
  this.timeout(180_000);
  let stand: Stand;
  let commands: MoveCommands;
  let receiver: Receiver;
  beforeEach(async () => {
    stand = await createStand({ SIMULATOR_AUTOPAY_SECONDS: 'off', SIMULATOR_BLOCK_SECONDS: '3600' });
    commands = await createMoveCommands(stand, stand.merchant.id);
    receiver = await startReceiver();
    await setWebhookConfig(
      stand.db,
      stand.merchant.id,
      { webhookUrl: receiver.url, enabled: true },
      new Date(),
    );
  });
  afterEach(async () => {
    await stand.close();
    await receiver.close();
    await commands.close();
  });

  const cancel = async (web: Web, id: string) =>
    expect((await web.api('POST', `/v1/payment/${id}/cancel`, {})).status).to.equal(200);
  /** A payment that rests. */
  const end = async (web: Web) => {
    const answer = await web.api('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'order-0' });
    await cancel(web, ((await answer.json()) as { id: string }).id);
  };
  const killWhere = async (moment: string, ...more: string[]) =>
    commands.kill(await commands.waitWhere(moment, ...more));

  for (const moment of Object.keys(MOMENTS))
    it(`goes on when ${moment}: nothing is lost, and nothing is told twice`, async () => {
      const web = await stand.startWeb();
      const worker = await stand.startWorker();
      const create = async () => {
        const body = { pay_amount: '10.50', order_id: 'order-1' };
        const answer = await web.api('POST', '/v1/payment', body);
        return ((await answer.json()) as { id: string }).id;
      };
      const ids = [await create(), await create(), await create()];
      const ended = await create();
      await cancel(web, ended);
      await receiver.waitFor(5);
      const rests = async () =>
        (await stand.rows(`SELECT FROM deliveries WHERE status = 'pending'`)).length === 0;
      await until('all is sent', rests, 60_000);
      if (moment === 'rows are to be forgotten' || moment === 'it is forgotten') {
        await commands.succeeds(commands.move());
        await killWhere(moment, '--forget');
      } else {
        await killWhere(moment);
        await commands.succeeds(commands.move());
      }
      await commands.succeeds(commands.move('--forget'));
      expect(await stand.rows('SELECT FROM payments')).to.deep.equal([]);
      worker.signal('SIGTERM');
      await worker.ended();
      const there = { DATABASE_URL: commands.targetUrl };
      const [webThere] = [await stand.startWeb(there), await stand.startWorker(there)];
      for (const id of ids) await cancel(webThere, id);
      expect((await web.api('POST', '/v1/payment', {})).status).to.equal(503);
      await receiver.waitFor(8);
      const told = receiver.requests.map(({ rawBody }) => {
        const { data, sequence } = JSON.parse(rawBody.toString()) as {
          data: { checkout: { id: string } };
          sequence: number;
        };
        return `${data.checkout.id} ${sequence}`;
      });
      expect(told).to.have.members([...ids, ended].flatMap((id) => [`${id} 1`, `${id} 2`]));
    });

  for (const moment of UNDECIDED)
    it(`goes on by one command of two, with a file of cells each, when ${moment}`, async () => {
      const web = await stand.startWeb();
      const body = { pay_amount: '10.50', order_id: 'order-1' };
      await web.api('POST', '/v1/payment', body);
      await end(web);
      const elsewhere = join(commands.folder, 'elsewhere');
      await mkdir(elsewhere);
      await copyFile(join(commands.folder, 'cells.json'), join(elsewhere, 'cells.json'));
      const { ops: first, goOn, forgetMoment } = await commands.waitWhere(moment);
      const second = commands.moveBy(join(elsewhere, 'cells.json'), []);
      const waits = async () => {
        const blocked = [];
        for (const one of [stand.db, commands.target])
          blocked.push(
            ...(
              await one.raw<{ rows: unknown[] }>(
                `SELECT FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name LIKE 'ops%' AND wait_event_type = 'Lock'`,
              )
            ).rows,
          );
        return blocked.length > 1 || second.isOver();
      };
      await until('the other one waits as well, or has ended', waits, 60_000);
      await goOn();
      const ends = [await first.ended(), await second.ended()];
      expect(
        ends.filter((end) => end === 0),
        `${first.output()} ${second.output()}`,
      ).to.have.length(1);
      const [lost] = [first, second].filter((_, place) => ends[place] !== 0);
      expect(lost?.output()).to.match(/taken over|already/);
      await forgetMoment();
      expect(await stand.rows('SELECT step FROM merchant_moves')).to.deep.equal([{ step: 'arrived' }]);
      expect(await commands.target('merchant_moves').select()).to.deep.equal([]);
      expect(await commands.target('payments').pluck('status')).to.have.members(['WAITING', 'EXPIRED']);
      expect((await web.api('POST', '/v1/payment', body)).status).to.equal(503);
    });

  for (const moment of UNDECIDED)
    it(`is rolled back by command when ${moment}, and the merchant goes on in the source`, async () => {
      const web = await stand.startWeb();
      const pay = () => web.api('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'order-1' });
      await pay();
      await end(web);
      await killWhere(moment);
      await commands.succeeds(commands.move('--rollback'));
      expect((await pay()).status).to.equal(201);
      for (const one of [stand.db, commands.target]) {
        expect(await one('merchant_moves').select()).to.deep.equal([]);
        const { rows } = await one.raw<{ rows: unknown[] }>(
          `SELECT FROM pg_trigger WHERE tgname LIKE 'moving %'`,
        );
        expect(rows).to.deep.equal([]);
      }
      expect(await commands.target('merchants').select()).to.deep.equal([]);
      expect(await stand.rows('SELECT FROM payments')).to.have.length(3);
    });
});
