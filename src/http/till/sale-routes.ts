import { selectMethodByToken } from '../../domain/checkout/actions/select-method.ts';
import { findByToken, type CheckoutPayment } from '../../domain/checkout/view/store.ts';
import { viewOf } from '../../domain/checkout/view/view.ts';
import { adaptersOf } from '../../domain/payments/lifecycle/ports.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import { findUnread } from '../../domain/ops/health/networks.ts';
import { findSale, listUncounted, saleStateOf, type Sale } from '../../domain/tills/sales.ts';
import { cancelSale, sell } from '../../domain/tills/sell.ts';
import type { Till } from '../../domain/tills/till.ts';
import { numberOf, type TillReply, type TillRoute, type TillVisit } from './route.ts';
import { salePage, salePath, unmadePage, type ShownSale } from './sale-page.ts';
import { sellPage, SHOWN_SALES, type SellFault } from './sell-page.ts';

/** A page that follows its sale asks 30 times a minute, and a browser may show two of them. */
const PAGES_PER_MINUTE = 120;
/** Nobody types more, and each may take an address of the merchant's wallet. */
const SALES_PER_MINUTE = 20;

/** What a till does: it makes sales, and shows and cancels its own. */
export const saleRoutes: readonly TillRoute[] = [
  {
    name: 'page',
    method: 'get',
    path: '/till',
    perMinute: PAGES_PER_MINUTE,
    handle: (visit) => showSell(visit, null),
  },
  {
    name: 'sale',
    method: 'post',
    path: '/till/sales',
    perMinute: SALES_PER_MINUTE,
    async handle(visit) {
      const { ctx, adapters, till, field } = visit;
      const typed = { amount: field('amount'), nonce: field('nonce') };
      const sold = await sell(ctx, adapters, till, typed);
      if (typeof sold !== 'string') return { to: salePath(sold.number) };
      const nonce = sold === 'unavailable' ? typed.nonce : null;
      return showSell(visit, { why: sold, amount: typed.amount, nonce });
    },
  },
  {
    name: 'sale page',
    method: 'get',
    path: '/till/sales/:number',
    perMinute: PAGES_PER_MINUTE,
    handle: (visit) => withSale(visit, (sale) => showSale(visit, sale, null)),
  },
  {
    name: 'coin',
    method: 'post',
    path: '/till/sales/:number/coin',
    perMinute: SALES_PER_MINUTE,
    handle: (visit) =>
      withSale(visit, async (sale) => {
        const { ctx, adapters, till, field } = visit;
        const [coin, network] = [field('coin'), field('network')];
        if (sale.token_id === null || !offers(till, coin, network)) return 'missing';
        const selected = await selectMethodByToken(ctx, adapters, sale.token_id, coin, network);
        return selected === 'selected' ? { to: salePath(sale.number) } : showSale(visit, sale, 'badMethod');
      }),
  },
  {
    name: 'cancel',
    method: 'post',
    path: '/till/sales/:number/cancel',
    perMinute: SALES_PER_MINUTE,
    handle: (visit) =>
      withSale(visit, async (sale) => {
        const { ctx, adapters, till } = visit;
        const isCancelled = await cancelSale(ctx, adapters, till, sale);
        return isCancelled ? { to: salePath(sale.number) } : showSale(visit, sale, 'uncancelled');
      }),
  },
];

const offers = ({ methods }: Till, coin: string, network: string): boolean =>
  methods === null || methods.some((one) => one.coin === coin && one.network === network);

async function showSell({ ctx, till }: TillVisit, fault: SellFault | null): Promise<TillReply> {
  return sellPage(till, await listUncounted(ctx.db, till.id, SHOWN_SALES + 1), fault);
}

/** A sale of the till itself: others have the same numbers. */
async function withSale(
  { ctx, till, params }: TillVisit,
  use: (sale: Sale) => Promise<TillReply>,
): Promise<TillReply> {
  const number = numberOf(params.number);
  const sale = number === null ? null : await findSale(ctx.db, till.id, number);
  return sale === null ? 'missing' : use(sale);
}

async function showSale(visit: TillVisit, { number }: Sale, fault: ShownSale['fault']): Promise<TillReply> {
  const { ctx, adapters, till, query } = visit;
  // As it is now: a form may have changed it.
  const sale = await findSale(ctx.db, till.id, number);
  if (sale === null) return 'missing';
  const found = sale.token_id === null ? null : await findByToken(ctx.db, sale.token_id);
  if (found === null) return unmadePage(sale, till);
  const payment = offeredBy(till, found);
  const served = adaptersOf(adapters, till.merchant_mode);
  if (!served.isSimulated) await served.priced.refresh(ctx.db, ctx.now());
  const view = viewOf(payment, withTestClockOf(ctx, payment).now(), served.chains);
  const isUnread = !served.isSimulated && (await findUnread(ctx, [payment.network])).length > 0;
  const shown = { till, sale, state: saleStateOf(sale), view, served };
  return salePage({ ...shown, isUnread, isOpen: query.has('open'), fault });
}

/** Its till may offer less than the merchant's pages. */
function offeredBy({ methods }: Till, payment: CheckoutPayment): CheckoutPayment {
  if (methods === null) return payment;
  return { ...payment, appearance: { ...(payment.appearance ?? NO_CHOICE), methods } };
}

const NO_CHOICE = {
  name: null,
  support_url: null,
  accent_color: null,
  display_currency: null,
  methods: null,
  embed_origins: [],
  logo: null,
};
