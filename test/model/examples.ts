import { coins, lose, market, pay, scriptOf, send, speedUp, wait } from './scripts.ts';

const DAY = 86_400;

/** Attacks and mistakes that were seen on the service; what must follow is computed by hand. */
export const EXAMPLES = {
  satoshi: scriptOf(
    [
      [0, market('BTC', 150)],
      [1, pay('unit', 'BTC bitcoin')],
      [1, market('BTC', 100)],
      [47 * 3600, pay(coins('0.11111113'), 'BTC bitcoin')],
    ],
    { price: '10000.00', minutes: 2880 },
  ),
  wholeBitcoin: scriptOf(
    [
      [1, pay(coins('1'), 'BTC bitcoin')],
      [4 * 3600, market('BTC', 300)],
    ],
    { overpaid: 'refund_excess' },
  ),
  sixtyDaysLate: scriptOf(
    [
      [1, pay('unit', 'BTC bitcoin')],
      [60 * DAY, pay(coins('1'), 'BTC bitcoin')],
      [DAY, wait],
    ],
    { late: 'refund', overpaid: 'refund_excess' },
  ),
  pool: scriptOf([
    [1, pay(100)],
    [120, pay(coins('1000'))],
    [60, wait],
  ]),
  asked: scriptOf([[1, pay('asked', 'ETH ethereum')]], { price: '25' }),
  oneUnitLess: scriptOf([[1, pay(coins('0.00833333'), 'ETH ethereum')]], { price: '25' }),
  ninthDecimal: scriptOf([[1, pay('asked')]], { price: '19.123456789' }),
  neverQuoted: scriptOf([
    [1, market('ETH', 50)],
    [1, send(coins('0.004'), 'ETH ethereum')],
  ]),
  speedUp: scriptOf([
    [1, pay(100)],
    [10, speedUp(0)],
  ]),
  stranger: scriptOf([
    [1, pay(100)],
    [1, pay('unit')],
    [1, lose(1)],
    [200, wait],
  ]),
} as const;
