import { expect } from 'chai';
import { LIBRARY_NAMES, type LibraryName } from '../../../../src/domain/sandbox/scenarios/library-names.ts';
import { checkInvariants } from '../../../support/invariants.ts';
import { deliveriesOf, eventsOf, postScenario, withoutIds } from '../../../support/scenarios.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { DOWN_FOR_A_DAY, EVENTS, TWICE_AND_OUT_OF_ORDER } from './library-lists.ts';

const CHANCY: readonly LibraryName[] = ['webhook-endpoint-down-for-a-day', 'webhooks-twice-and-out-of-order'];

/** What an operator may set: none of it changes what a story means. */
const SETTINGS = [
  {},
  {
    SIMULATOR_BLOCK_SECONDS: '1',
    SIMULATOR_AUTOPAY_SECONDS: '5',
    WEBHOOK_RETRY_SECONDS: '1,2,3',
    PUBLIC_URL: 'https://pay.example.com',
  },
  { SIMULATOR_BLOCK_SECONDS: '7200', SIMULATE_LIVE: 'true', WEBHOOK_TIMEOUT_SECONDS: '1', PORT: '8080' },
];

describe('each story of the library', () => {
  it(`is the same bytes under ${SETTINGS.length} settings of the environment`, async () => {
    const results = await Promise.all(
      SETTINGS.map(async (env) => {
        const harness = await createHarness(env);
        const texts = new Map<LibraryName, string>();
        for (const story of LIBRARY_NAMES)
          texts.set(story, (await postScenario(harness, { story, seed: 'a', ids: 'stable' })).text);
        await harness.close();
        return texts;
      }),
    );
    const different = LIBRARY_NAMES.filter((story) => new Set(results.map((one) => one.get(story))).size > 1);
    expect(different, 'stories that differ').to.deep.equal([]);
  });
});

describe('the library of scenarios', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(async () => {
    await checkInvariants(harness.ctx.db);
    await harness.close();
  });

  for (const story of LIBRARY_NAMES) {
    it(`${story}: its events, and each delivered at once`, async () => {
      const { report } = await postScenario(harness, { story, seed: 'a' });
      expect(eventsOf(report)).to.deep.equal(EVENTS[story]);
      expect(report.transitions.map(({ from, to }) => [from, to])).to.deep.equal(
        report.events.map(({ data }, i) => [
          report.events[i - 1]?.data.checkout.status ?? null,
          data.checkout.status,
        ]),
      );
      expect(report.payment.status).to.equal(report.events.at(-1)?.data.checkout.status);
      if (CHANCY.includes(story)) return;
      expect(report.deliveries.map(({ at, sequence, attempt }) => [at, sequence, attempt])).to.deep.equal(
        report.events.map(({ timestamp, sequence }) => [timestamp, sequence, 1]),
      );
      expect(report.deliveries.every(({ status_code }) => status_code === 200)).to.equal(true);
      expect(report.received.map(({ event_id }) => event_id)).to.deep.equal(
        report.events.map(({ id }) => id),
      );
    });

    it(`${story}: two runs with one seed return the same bytes, and with random ids the same except for ids`, async () => {
      const stable = await postScenario(harness, { story, seed: 'a', ids: 'stable' });
      const again = await postScenario(harness, { story, seed: 'a', ids: 'stable' });
      expect(again.text).to.equal(stable.text);
      const random = await postScenario(harness, { story, seed: 'a' });
      const other = await postScenario(harness, { story, seed: 'a', ids: 'random' });
      expect(other.report.payment.id).to.not.equal(random.report.payment.id);
      expect(other.report.events[0]?.id).to.not.equal(random.report.events[0]?.id);
      expect(withoutIds(other.text)).to.equal(withoutIds(random.text));
      // With stable ids the address of the page is no page, and the same everywhere.
      const { origin } = new URL(String(stable.report.payment.checkout_url));
      const elsewhere = stable.text.replaceAll(origin, harness.ctx.config.publicUrl);
      expect(withoutIds(random.text)).to.equal(withoutIds(elsewhere));
    });

    it(`${story}: another seed changes only random values`, async () => {
      const [a, b] = [
        await postScenario(harness, { story, seed: 'a' }),
        await postScenario(harness, { story, seed: 'b' }),
      ];
      if (CHANCY.includes(story)) {
        expect(eventsOf(b.report)).to.deep.equal(eventsOf(a.report));
        expect(deliveriesOf(b.report)).to.not.deep.equal(deliveriesOf(a.report));
      } else expect(withoutIds(b.text)).to.equal(withoutIds(a.text));
    });
  }

  it('webhook-endpoint-down-for-a-day: every attempt, and no event is lost', async () => {
    const { report } = await postScenario(harness, { story: 'webhook-endpoint-down-for-a-day', seed: 'a' });
    expect(deliveriesOf(report)).to.deep.equal(DOWN_FOR_A_DAY);
    const taken = report.received.filter(({ answered }) => answered === 200).map(({ sequence }) => sequence);
    expect(taken).to.have.members([1, 2, 3, 4]);
  });

  it('webhooks-twice-and-out-of-order: the first event is sent twice, the second after its successors', async () => {
    const { report } = await postScenario(harness, { story: 'webhooks-twice-and-out-of-order', seed: 'a' });
    expect(deliveriesOf(report)).to.deep.equal(TWICE_AND_OUT_OF_ORDER);
    expect(report.received.map(({ sequence, answered }) => `${sequence} ${answered}`)).to.deep.equal([
      '1 timeout',
      '1 200',
      '3 200',
      '4 200',
      '2 200',
    ]);
    expect(report.received[1]?.event_id).to.equal(report.received[0]?.event_id);
  });

  it('money: received, paid and refunded', async () => {
    const money = async (story: LibraryName) => {
      const { payment } = (await postScenario(harness, { story })).report;
      return [payment.amount_received, payment.actually_paid, payment.amount_refunded];
    };
    expect(await money('paid-in-two-parts')).to.deep.equal(['10.00', '10.00', '0']);
    expect(await money('underpaid-and-expired')).to.deep.equal(['4', null, '0']);
    expect(await money('overpaid')).to.deep.equal(['12.5', '12.5', '0']);
    expect(await money('late-refunded')).to.deep.equal(['10.00', null, '10.00']);
    expect(await money('replaced')).to.deep.equal(['0', null, '0']);
    expect(await money('refunded-in-part')).to.deep.equal(['10.00', '10.00', '5']);
  });
});
