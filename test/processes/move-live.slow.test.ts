import { expect } from 'chai';
import type { Db } from '../../src/platform/postgres/db.ts';
import { unitsOf, useEvmStand } from '../support/evm-stand.ts';
import { NO_RATES } from '../support/rate-sites.ts';
import { until } from '../support/until.ts';
import { createMoveCommands, MOMENTS, UNDECIDED, type MoveCommands } from './killed-move.ts';
import { createLiveStand, type LiveStand, type Ordered } from './live-stand.ts';
import { startProcess } from './service.ts';

const AMOUNT = '25';
const BOOKED = ['received', 'settled'].map((kind) => ({ kind, amount: AMOUNT, coin: 'USDC' }));

describe('a move of a live merchant that is killed, while money comes to a wallet on a chain', function () {
  this.timeout(180_000);
  const node = useEvmStand();
  let stand: LiveStand;
  let commands: MoveCommands;
  beforeEach(async () => {
    stand = await createLiveStand();
    commands = await createMoveCommands(stand, stand.live.merchant_id);
    const rpc = { RPC_URLS_ETHEREUM: node().anvil.url };
    await stand.startWatcher(rpc);
    const there = { ...stand.env, ...NO_RATES, ...rpc, DATABASE_URL: commands.targetUrl };
    await startProcess('watcher', there).says('"watching"');
  });
  afterEach(async () => {
    await stand.close();
    await commands.close();
  });

  /** Mines, until both cells have read that: their watchers are awake, and read by now. */
  const mine = async (blocks: number) => {
    await node().mine(blocks);
    const height = await node().height();
    for (const db of [stand.db, commands.target])
      await until('the blocks are read', async () => {
        const [head = '0'] = await db('chain_cursors')
          .where({ chain: 'ethereum/live' })
          .pluck<string[]>('head');
        return Number(head) >= height;
      });
  };
  const pay = ({ address }: Ordered) => node().pay('USDC', address, 25n * unitsOf('USDC', 1));
  const isSettledOnce = async (db: Db, orders: readonly Ordered[]) => {
    for (const { id } of orders) {
      const told = (await stand.until(id, 'settled')).map(({ type }) => type.replace('checkout.', ''));
      expect(told).to.have.members(['created', 'pending', 'processing', 'settled']);
      const booked = await db('ledger_entries')
        .where({ payment_id: id })
        .orderBy('id')
        .select('kind', 'amount', 'coin');
      expect(booked).to.deep.equal(BOOKED);
    }
  };
  /** Three payments, of which the first is paid before, and the second while the command is stopped. */
  const killWhere = async (moment: string) => {
    const orders = [await stand.order(AMOUNT), await stand.order(AMOUNT), await stand.order(AMOUNT)] as const;
    const [before, meanwhile] = orders;
    await pay(before);
    await mine(1);
    await stand.until(before.id, 'pending');
    const waiting = await commands.waitWhere(moment);
    await pay(meanwhile);
    await mine(1);
    await commands.kill(waiting);
    return orders;
  };
  const areAllDifferent = (orders: readonly Ordered[]) =>
    expect(new Set(orders.map(({ address }) => address))).to.have.property('size', orders.length);

  // No payment of this merchant rests when it moves, and nothing has come before the feed does.
  for (const moment of Object.keys(MOMENTS).slice(3, 12))
    it(`goes on when ${moment}: each transfer is credited once, by the target, and no address is of two`, async () => {
      const orders = await killWhere(moment);
      await mine(1);
      await commands.succeeds(commands.move());
      const there = { DATABASE_URL: commands.targetUrl };
      const [web] = [await stand.startWeb(there), await stand.startWorker(there)];
      const last = await orderAt(web.port);
      areAllDifferent([...orders, last]);
      await pay(orders[2]);
      await mine(12);
      await isSettledOnce(commands.target, orders);
      await commands.succeeds(commands.move('--forget'));
      expect(await stand.rows('SELECT FROM transfers')).to.deep.equal([]);
    });

  for (const moment of UNDECIDED.slice(3))
    it(`is rolled back when ${moment}: each transfer is credited once, by the source`, async () => {
      const orders = await killWhere(moment);
      await commands.succeeds(commands.move('--rollback'));
      areAllDifferent([...orders, await stand.order(AMOUNT)]);
      await pay(orders[2]);
      await mine(12);
      await isSettledOnce(stand.db, orders);
      expect(await commands.target('transfers').select()).to.deep.equal([]);
    });

  const orderAt = async (port: number): Promise<Ordered> => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/payment`, {
      method: 'POST',
      headers: { 'X-API-Key': stand.live.api_key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ pay_amount: AMOUNT, order_id: 'order-1' }),
    });
    expect(answer.status).to.equal(201);
    const { id, checkout_url } = (await answer.json()) as Ordered;
    const [address = ''] = await commands.target('payments').where({ id }).pluck<string[]>('address');
    return { id, checkout_url, address };
  };
});
