import { expect } from 'chai';
import { openShop } from '../support/shop.ts';
import { samplePayment, sampleEvent } from '../../src/domain/payments/sample.ts';
import type { Policy } from '../../src/domain/payments/lifecycle/policy.ts';
import {
  EVENT_TYPES as DOMAIN_EVENT_TYPES,
  type TRANSITIONS,
  type Trigger,
  type Exception,
  type Status,
} from '../../src/domain/payments/lifecycle/states.ts';
import { LIBRARY_NAMES } from '../../src/domain/sandbox/scenarios/library-names.ts';
import {
  EVENT_TYPES,
  type CheckoutException,
  type CheckoutPolicy,
  type CheckoutStatus,
  type EventType,
  type WebhookEvent,
} from '../../src/sdk/index.ts';
import { createHarness, type Harness } from '../support/harness.ts';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type EventOf<Type> = Extract<WebhookEvent, { type: Type }>;
/** The statuses that an event of this type can report, by the transition table. */
type Reached<Type> =
  Extract<(typeof TRANSITIONS)[Trigger], { event: Type }> extends infer Moves
    ? Moves extends { to: infer To; from: readonly (infer From)[] }
      ? To extends null
        ? From
        : To
      : never
    : never;
type SameStatuses = { [Type in EventType]: Same<Reached<Type>, StatusIn<Type>> };
/** `npm run typecheck` fails when one of these differs from the domain. */
const SAME: Readonly<Record<string, true>> & {
  readonly statuses: Same<SameStatuses, Record<EventType, true>>;
  readonly status: Same<Status, CheckoutStatus>;
  readonly exception: Same<Exception, CheckoutException>;
  readonly policy: Same<Readonly<Policy>, CheckoutPolicy>;
} = { statuses: true, status: true, exception: true, policy: true };
type StatusIn<Type> = EventOf<Type>['data']['checkout']['status'];

/** Every field of an event and the type of its value, in order; the keys of `metadata` are the merchant's. */
function shapeOf(value: unknown, path = ''): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return [`${path} ${Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value}`];
  return Object.entries(value).flatMap(([name, field]) =>
    shapeOf(field, path === '' ? name : `${path}.${name}`),
  );
}

const PAID_AGAIN = {
  payment: { pay_amount: '10.00' },
  script: [
    { at: '1m', do: 'transfer' },
    { at: '90s', do: 'transfer', amount: '1.00' },
  ],
};
const NEVER_PAID = { payment: { pay_amount: '10.00' }, script: [{ at: '61m', do: 'webhook', answer: 200 }] };

describe('the types of events', () => {
  let harness: Harness;
  let events: WebhookEvent[];
  before(async () => {
    harness = await createHarness();
    const stories = [];
    for (const story of [...LIBRARY_NAMES.map((name) => ({ story: name })), NEVER_PAID, PAID_AGAIN])
      stories.push(await harness.api('post', '/v1/sandbox/scenarios').send(story).expect(200));
    events = stories.flatMap(({ body }) => body.events as WebhookEvent[]);
  });
  after(() => harness.close());

  it("are the domain's: types, statuses, exceptions, policy", () => {
    expect(EVENT_TYPES).to.deep.equal(DOMAIN_EVENT_TYPES);
    expect(Object.values(SAME)).to.deep.equal([true, true, true, true]);
  });

  it('describe real events: each scenario of the library, every field, and no other', () => {
    expect(new Set(events.map(({ type }) => type))).to.deep.equal(new Set(EVENT_TYPES));
    for (const event of events) expectDeclared(event);
  });

  it('a sample of each type has the fields of a real one, known and unknown alike', async () => {
    const { caller } = await openShop(harness);
    for (const type of EVENT_TYPES) {
      const sample = JSON.parse(sampleEvent(harness.ctx, samplePayment(harness.ctx, caller), type).body);
      const { item, ...metadata } = sample.metadata;
      expect(item).to.be.a('string');
      const { status } = sample.data.checkout;
      const real = events.find(
        (one) => one.type === type && one.sequence === sample.sequence && one.data.checkout.status === status,
      );
      expect(shapeOf({ ...sample, metadata }), type).to.deep.equal(shapeOf(real));
    }
  });

  it('two requests for a sample return the same payment', async () => {
    const { caller } = await openShop(harness);
    const payment = samplePayment(harness.ctx, caller);
    const [one, two] = (['checkout.created', 'checkout.settled'] as const).map((type) =>
      JSON.parse(sampleEvent(harness.ctx, payment, type).body),
    );
    expect(one.data.checkout.id).to.equal(two.data.checkout.id);
    expect(one.id).to.not.equal(two.id);
    expect([one.sequence, two.sequence]).to.deep.equal([1, 4]);
  });
});

/** The fields that the interface declares, as text, and what else their values may be. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  id: ['string'],
  type: ['string'],
  timestamp: ['string'],
  sequence: ['number'],
  'data.checkout.id': ['string'],
  'data.checkout.status': ['string'],
  'data.checkout.amount': ['string'],
  'data.checkout.currency': ['string'],
  'data.checkout.cryptoAmount': ['string'],
  'data.checkout.cryptoCurrency': ['string'],
  'data.checkout.settledAt': ['string', 'null'],
  'data.checkout.exceptions': ['array'],
  'data.checkout.policy.underpaid': ['string'],
  'data.checkout.policy.underpaid_tolerance_percent': ['number'],
  'data.checkout.policy.late': ['string'],
  'data.checkout.policy.overpaid': ['string'],
  'data.payment.txHash': ['string', 'null'],
  'data.payment.confirmations': ['number'],
  'data.payment.requiredConfirmations': ['number'],
  'data.payment.network': ['string'],
  'data.settlement.mode': ['string'],
  'data.settlement.coin': ['string'],
  'data.settlement.network': ['string'],
  'data.settlement.amount': ['string', 'null'],
  'data.price': ['null'],
  'metadata.orderId': ['string'],
};
const REFUND: Readonly<Record<string, readonly string[]>> = {
  'data.refund.id': ['string'],
  'data.refund.amount': ['string'],
  'data.refund.currency': ['string'],
  'data.refund.reason': ['string', 'null'],
  'data.refund.coin': ['string'],
  'data.refund.network': ['string'],
  'data.refund.coinAmount': ['string'],
  'data.refund.address': ['string'],
  'data.refund.txHash': ['string'],
};
const TRANSFER: Readonly<Record<string, readonly string[]>> = {
  'data.transfer.coin': ['string'],
  'data.transfer.network': ['string'],
  'data.transfer.amount': ['string'],
  'data.transfer.credit': ['string'],
  'data.transfer.txHash': ['string'],
};
/** The fields that only events of a type have. */
const REPORTED: Readonly<Partial<Record<EventType, Readonly<Record<string, readonly string[]>>>>> = {
  'checkout.refunded': REFUND,
  'checkout.funds_received': TRANSFER,
};

function expectDeclared(event: WebhookEvent): void {
  const declared: Readonly<Record<string, readonly string[]>> = { ...EXPECTED, ...REPORTED[event.type] };
  const found = shapeOf(event).map((line) => line.split(' '));
  expect(found.map(([field]) => field)).to.have.members(Object.keys(declared));
  for (const [field = '', type = ''] of found) expect(declared[field], field).to.include(type);
  if (event.type === 'checkout.settled') expect(event.data.checkout.settledAt).to.be.a('string');
}
