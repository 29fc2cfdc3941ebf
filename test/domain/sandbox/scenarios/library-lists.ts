import type { LibraryName } from '../../../../src/domain/sandbox/scenarios/library-names.ts';

const CREATED = '0:00:00 created WAITING';
const PAID = [CREATED, '0:01:00 pending PENDING', '0:03:24 processing PROCESSING', '0:03:24 settled SETTLED'];

/** The events of each scenario, on ethereum: blocks of 12 s, 12 confirmations. */
export const EVENTS: Readonly<Record<LibraryName, readonly string[]>> = {
  paid: PAID,
  'paid-in-two-parts': [
    CREATED,
    '0:01:00 pending PENDING underpaid',
    '0:05:00 pending PENDING',
    '0:07:24 processing PROCESSING',
    '0:07:24 settled SETTLED',
  ],
  'underpaid-and-expired': [CREATED, '0:01:00 pending PENDING underpaid', '1:00:00 failed EXPIRED underpaid'],
  overpaid: [
    CREATED,
    '0:01:00 pending PENDING overpaid',
    '0:03:24 processing PROCESSING overpaid',
    '0:03:24 settled SETTLED overpaid',
  ],
  'late-honoured': [
    CREATED,
    '1:00:00 failed EXPIRED',
    '1:30:00 pending PENDING late',
    '1:32:24 processing PROCESSING late',
    '1:32:24 settled SETTLED late',
  ],
  'late-refunded': [
    CREATED,
    '1:00:00 failed EXPIRED',
    '1:30:00 funds_received EXPIRED late',
    '1:32:24 refunded REFUNDED late',
  ],
  'late-after-partial': [
    CREATED,
    '0:01:00 pending PENDING underpaid',
    '1:00:00 failed EXPIRED underpaid',
    '1:30:00 pending PENDING late',
    '1:32:24 processing PROCESSING late',
    '1:32:24 settled SETTLED late',
  ],
  reorganised: [
    CREATED,
    '0:01:00 pending PENDING',
    '0:02:00 pending PENDING reorged',
    '0:04:24 processing PROCESSING reorged',
    '0:04:24 settled SETTLED reorged',
  ],
  replaced: [CREATED, '0:01:00 pending PENDING', '0:02:00 failed FAILED replaced'],
  'conversion-failed': [
    CREATED,
    '0:01:00 pending PENDING',
    '0:03:24 processing PROCESSING',
    '0:03:24 failed FAILED',
  ],
  'refunded-in-full': [...PAID, '1:00:00 refunded REFUNDED'],
  'refunded-in-part': [...PAID, '1:00:00 refunded SETTLED', '2:00:00 refunded SETTLED'],
  'webhook-endpoint-down-for-a-day': PAID,
  'webhooks-twice-and-out-of-order': PAID,
};

/**
 * `time #event.attempt status`, with the seed `a`: nine attempts at each event fail, the tenth is after the
 * day.
 */
export const DOWN_FOR_A_DAY: readonly string[] = [
  '0:00:00 #1.1 503',
  '0:00:04.419 #1.2 503',
  '0:00:32.290 #1.3 503',
  '0:01:00 #2.1 503',
  '0:01:05.503 #2.2 503',
  '0:01:32.872 #2.3 503',
  '0:02:22.095 #1.4 503',
  '0:03:24 #3.1 503',
  '0:03:24 #4.1 503',
  '0:03:29.097 #3.2 503',
  '0:03:29.820 #4.2 503',
  '0:03:53.194 #2.4 503',
  '0:03:55.115 #4.3 503',
  '0:03:56.857 #3.3 503',
  '0:05:53.750 #4.4 503',
  '0:06:06.317 #3.4 503',
  '0:12:15.941 #2.5 503',
  '0:13:54.578 #1.5 503',
  '0:16:27.459 #4.5 503',
  '0:17:31.661 #3.5 503',
  '0:39:45.233 #1.6 503',
  '0:43:27.783 #4.6 503',
  '0:44:59.020 #2.6 503',
  '0:52:51.153 #3.6 503',
  '2:24:47.643 #4.7 503',
  '2:36:56.083 #2.7 503',
  '2:37:51.055 #1.7 503',
  '3:14:17.892 #3.7 503',
  '8:13:29.760 #1.8 503',
  '8:20:43.966 #2.8 503',
  '8:25:06.911 #3.8 503',
  '8:56:56.475 #4.8 503',
  '18:26:14.504 #3.9 503',
  '19:30:42.861 #1.9 503',
  '21:21:43.524 #4.9 503',
  '22:38:15.306 #2.9 503',
  '1d 15:56:51.513 #3.10 200',
  '1d 23:12:14.029 #4.10 200',
  '1d 23:15:30.946 #1.10 200',
  '2d 3:25:52.695 #2.10 200',
];

/**
 * The same for the receiver whose first response is lost and that accepts the third event before the second.
 */
export const TWICE_AND_OUT_OF_ORDER: readonly string[] = [
  '0:00:00 #1.1 timeout',
  '0:00:04.419 #1.2 200',
  '0:01:00 #2.1 503',
  '0:01:04.645 #2.2 503',
  '0:01:32.096 #2.3 503',
  '0:03:24 #3.1 200',
  '0:03:24 #4.1 200',
  '0:03:44.174 #2.4 200',
];
