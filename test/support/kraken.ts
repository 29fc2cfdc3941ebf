import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { add, compare, multiply, subtract } from '../../src/platform/values/money.ts';

/** An order as Kraken keeps it. */
interface KrakenOrder {
  readonly id: string;
  readonly cl_ord_id: string | null;
  readonly pair: string;
  readonly volume: string;
  readonly limit: string;
  readonly sold: string;
  readonly trades: readonly string[];
}

interface Deposit {
  readonly refid: string;
  readonly asset: string;
  readonly txid: string;
  readonly amount: string;
  status: 'Settled' | 'Success' | 'Failure';
  /** The address, a fee, and what Kraken does with it, where it says so. */
  readonly info?: string;
  readonly fee?: string;
  'status-prop'?: 'return' | 'onhold';
}

/** What the stand-in does to a request instead of answering it as it should. */
export type Fault =
  | { readonly error: string }
  /** It is done, and the connection is cut without an answer; `before`: it is not done. */
  | { readonly cut: 'before' | 'after' }
  | { readonly status: number }
  /** It is done, and answered with this body: a proxy's, or of another request. */
  | { readonly answer: unknown }
  /** The answer comes, once this resolves. */
  | { readonly late: () => Promise<unknown> };

/** A merchant's account at the stand-in. */
export interface KrakenAccount {
  readonly key: string;
  readonly secret: string;
  readonly balances: Record<string, string>;
  readonly orders: KrakenOrder[];
  readonly deposits: Deposit[];
  readonly addresses: Record<string, string[]>;
  mayWithdraw: boolean;
}

export interface ServedKraken {
  readonly url: string;
  readonly account: KrakenAccount;
  /** What buyers pay, in what a pair is sold for. */
  readonly prices: Record<string, string>;
  /** How much of an order finds buyers at most; null: all of it. */
  depth: string | null;
  /** Each method with the parameters of the request, in order. */
  readonly calls: { readonly method: string; readonly params: Record<string, string> }[];
  /** Decides about each request what is wrong with it; null: nothing. */
  fault: (method: string, times: number) => Fault | null;
  /** The time by Kraken's clock. */
  now: () => Date;
  /** Makes an order of the account's owner; a request that was on its way arrives. */
  deliver(method: string, params: Record<string, string>): unknown;
  count(method: string): number;
  /** Counts requests from now on. */
  forget(): void;
  deposit(
    asset: string,
    txid: string,
    amount: string,
    status?: Deposit['status'],
    more?: Pick<Deposit, 'info' | 'fee' | 'status-prop'>,
  ): void;
  close(): Promise<void>;
}

const METHODS: Readonly<Record<string, string>> = {
  XBT: 'Bitcoin',
  ETH: 'Ether (Hex)',
  USDC: 'USDC (ERC20)',
  USDT: 'Tether USD (ERC20)',
};
const FEE = '0.0026';

/** Serves what the service uses of Kraken's REST API; signatures and nonces are verified. */
export async function serveKraken(now: () => Date): Promise<ServedKraken> {
  const account: KrakenAccount = {
    key: randomBytes(42).toString('base64'),
    secret: randomBytes(64).toString('base64'),
    balances: { XBT: '0', ETH: '0', USDC: '0', USDT: '0' },
    orders: [],
    deposits: [],
    addresses: {},
    mayWithdraw: false,
  };
  let nonce = 0n;
  const trades: Record<string, { vol: string; cost: string; fee: string }> = {};
  let times: Record<string, number> = {};
  const newId = () => `O${randomBytes(8).toString('hex').toUpperCase()}`;

  const addOrder = (params: Record<string, string>) => {
    const { pair = '', volume = '', price = '', cl_ord_id = null, deadline = '' } = params;
    if (params.ordertype !== 'limit' || params.timeinforce !== 'IOC' || params.type !== 'sell')
      throw new Refusal('EGeneral:Invalid arguments');
    const ahead = new Date(deadline).getTime() - served.now().getTime();
    if (Number.isNaN(ahead) || ahead > 60_000) throw new Refusal('EGeneral:Invalid arguments:deadline');
    if (ahead < 0) throw new Refusal('EService:Deadline elapsed');
    const base = pair.slice(0, -4);
    const quote = pair.slice(-4);
    if (compare(volume, '0.0001') < 0) throw new Refusal('EOrder:Order minimum not met');
    if (compare(account.balances[base] ?? '0', volume) < 0) throw new Refusal('EOrder:Insufficient funds');
    const best = served.prices[pair] ?? '0';
    const open = compare(best, price) < 0 ? '0' : volume;
    const sold = served.depth !== null && compare(open, served.depth) > 0 ? served.depth : open;
    // In two trades: what an order sold is the sum of them.
    const half = compare(sold, '0.0002') > 0 ? '0.0001' : '0';
    const parts = [half, subtract(sold, half)].filter((vol) => compare(vol, '0') > 0);
    const ids = parts.map((vol) => {
      const id = `T${randomBytes(8).toString('hex').toUpperCase()}`;
      const cost = multiply(vol, best);
      trades[id] = { vol, cost, fee: multiply(cost, FEE) };
      account.balances[base] = subtract(account.balances[base] ?? '0', vol);
      account.balances[quote] = add(account.balances[quote] ?? '0', subtract(cost, multiply(cost, FEE)));
      return id;
    });
    const id = newId();
    account.orders.push({ id, cl_ord_id, pair, volume, limit: price, sold, trades: ids });
    return { descr: { order: `sell ${volume} ${pair} @ limit ${price}` }, txid: [id] };
  };

  const shown = (order: KrakenOrder) => ({
    status: order.sold === order.volume ? 'closed' : 'canceled',
    cl_ord_id: order.cl_ord_id,
    vol: order.volume,
    vol_exec: order.sold,
    trades: order.trades,
  });

  const handlers: Record<string, (params: Record<string, string>) => unknown> = {
    Balance: () => account.balances,
    WithdrawMethods: () => {
      if (!account.mayWithdraw) throw new Refusal('EGeneral:Permission denied');
      return [];
    },
    DepositMethods: ({ asset = '' }) => [{ method: METHODS[asset] ?? 'Unknown', limit: false }],
    DepositAddresses({ asset = '', new: isNew }) {
      const list = (account.addresses[asset] ??= []);
      // One for all ERC-20 tokens, five for any other coin.
      const isToken = asset === 'USDC' || asset === 'USDT';
      if (isNew !== undefined) {
        if (list.length >= (isToken ? 1 : 5)) throw new Refusal('EFunding:Too many addresses');
        const other = isToken ? account.addresses[asset === 'USDC' ? 'USDT' : 'USDC']?.[0] : undefined;
        list.push(other ?? `0x${randomBytes(20).toString('hex')}`);
      }
      return list.map((address) => ({ address, expiretm: '0', new: true }));
    },
    DepositStatus: ({ asset = '', limit = '25' }) =>
      account.deposits.filter((one) => one.asset === asset).slice(0, Number(limit)),
    AddOrder: addOrder,
    OpenOrders: () => ({ open: {} }),
    ClosedOrders: ({ cl_ord_id }) => ({
      closed: Object.fromEntries(
        account.orders
          .filter((one) => cl_ord_id === undefined || one.cl_ord_id === cl_ord_id)
          .map((one) => [one.id, shown(one)]),
      ),
    }),
    QueryOrders: ({ txid = '' }) =>
      Object.fromEntries(account.orders.filter(({ id }) => id === txid).map((one) => [one.id, shown(one)])),
    QueryTrades: ({ txid = '' }) => Object.fromEntries(txid.split(',').map((id) => [id, trades[id]])),
  };

  const respond = (request: IncomingMessage, path: string, body: string): unknown => {
    const method = path.split('/').at(-1) ?? '';
    if (path.startsWith('/0/public/')) {
      const pair = new URLSearchParams(body).get('pair') ?? '';
      const market = {
        pair_decimals: 2,
        lot_decimals: 8,
        ordermin: '0.0001',
        costmin: '0.5',
        status: 'online',
      };
      return { [pair]: { altname: pair, ...market } };
    }
    const params = Object.fromEntries(new URLSearchParams(body));
    if (request.headers['api-key'] !== account.key) throw new Refusal('EAPI:Invalid key');
    const digest = createHash('sha256').update(`${params.nonce}${body}`).digest();
    const mac = createHmac('sha512', Buffer.from(account.secret, 'base64')).update(path).update(digest);
    if (request.headers['api-sign'] !== mac.digest('base64')) throw new Refusal('EAPI:Invalid signature');
    if (BigInt(params.nonce ?? '0') <= nonce) throw new Refusal('EAPI:Invalid nonce');
    nonce = BigInt(params.nonce ?? '0');
    served.calls.push({ method, params });
    return served.deliver(method, params);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const method = path.split('/').at(-1) ?? '';
    times[method] = (times[method] ?? 0) + 1;
    const fault = served.fault(method, times[method]);
    const send = (value: object) => void response.end(JSON.stringify(value));
    if (fault !== null && 'cut' in fault && fault.cut === 'before') request.socket.destroy();
    else if (fault !== null && 'status' in fault) response.writeHead(fault.status).end();
    else if (fault !== null && 'error' in fault) send({ error: [fault.error] });
    else
      try {
        const result = respond(request, path, query || Buffer.concat(chunks).toString());
        if (fault !== null && 'late' in fault) await fault.late();
        if (fault !== null && 'cut' in fault) request.socket.destroy();
        else if (fault !== null && 'answer' in fault) response.end(JSON.stringify(fault.answer));
        else send({ error: [], result });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        send({ error: [error.message] });
      }
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const served: ServedKraken = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account,
    prices: { XBTUSDC: '60000', ETHUSDC: '3000', ETHUSDT: '3000' },
    depth: null,
    calls: [],
    fault: () => null,
    now,
    deliver(method, params) {
      const handler = handlers[method];
      if (handler === undefined) throw new Refusal('EGeneral:Unknown method');
      return handler(params);
    },
    forget() {
      served.calls.length = 0;
      times = {};
    },
    count: (method) => served.calls.filter((one) => one.method === method).length,
    deposit(asset, txid, amount, status = 'Success', more = {}) {
      // The newest first.
      account.deposits.unshift({ refid: newId(), asset, txid, amount, status, ...more });
      account.balances[asset] = add(account.balances[asset] ?? '0', amount);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return served;
}

class Refusal extends Error {}
