import { expect } from 'chai';
import { COINS_ON_NETWORKS, decimalsOf, dustOf } from '../../src/domain/chain/coins.ts';
import { CURRENCIES, CURRENCY_IDS } from '../../src/domain/chain/currencies.ts';
import {
  EXCEPTIONS,
  STATUSES,
  TRANSITIONS,
  type Transition,
} from '../../src/domain/payments/lifecycle/states.ts';
import { EventResource } from '../../src/domain/events/schemas.ts';
import { RefundBody, RefundResource } from '../../src/domain/payments/refunds/schemas.ts';
import { REFUND_STATUSES } from '../../src/domain/payments/refunds/states.ts';
import { PaymentResource } from '../../src/domain/payments/schemas.ts';
import { createEndpoints } from '../../src/http/routes.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { API_ERRORS } from '../../src/domain/api/errors.ts';
import { EVENT_TYPES } from '../../src/sdk/index.ts';
import { read, tableOf } from '../support/documents.ts';
import { createHarness } from '../support/harness.ts';

const CONTRACT = read('docs/contract.md');
const first = ([cell]: readonly string[]) => cell;

describe('docs/contract.md and docs/specification.md', () => {
  it('state how a payment moves as the table of transitions does', () => {
    const transitions = Object.entries<Transition>(TRANSITIONS);
    expect(tableOf('docs/contract.md', 'trigger')).to.deep.equal(
      transitions.map(([trigger, { from, to, event }]) => [
        trigger,
        from.join(', '),
        to ?? 'unchanged',
        event,
      ]),
    );
  });

  it('list every status, exception and event type', () => {
    const from = CONTRACT.indexOf('\n## Status and transitions');
    const statuses = CONTRACT.slice(from, CONTRACT.indexOf('\n### Exceptions', from));
    expect([...statuses.matchAll(/^\| ([A-Z]+) +\|/gm)].map(([, name]) => name)).to.deep.equal([...STATUSES]);
    for (const exception of EXCEPTIONS) expect(CONTRACT).to.include(`\`${exception}\``);
    const specified = tableOf('docs/specification.md', 'Event').map(first);
    const added = [...CONTRACT.matchAll(/^`(checkout\.\w+)` is an event type beyond the specification's/gm)];
    expect([...specified, ...added.map(([, type]) => type)]).to.deep.equal([...EVENT_TYPES]);
  });

  it('list every endpoint, its permissions and its limit', async () => {
    const harness = await createHarness();
    const endpoints = createEndpoints(harness);
    await harness.close();
    expect(tableOf('docs/contract.md', 'endpoint')).to.deep.equal(
      endpoints.map(({ method, path, permissions, perMinute }) => [
        `${method.toUpperCase()} ${path}`,
        permissions.join(', ') || 'none, no key needed',
        String(perMinute),
      ]),
    );
  });

  it('list every error by its status', () => {
    const expected = new Map<string, string[]>();
    for (const [code, [status]] of Object.entries(API_ERRORS))
      expected.set(String(status), [...(expected.get(String(status)) ?? []), code]);
    expect(tableOf('docs/contract.md', 'status').length, 'the statuses of a payment').to.equal(
      STATUSES.length,
    );
    const errors = CONTRACT.slice(CONTRACT.indexOf('\n## Errors'));
    const rows = [...errors.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)];
    expect(rows.map(([, status, codes]) => [status, codes])).to.deep.equal(
      [...expected]
        .sort(([a], [b]) => Number(a) - Number(b))
        .map(([status, codes]) => [status, codes.join(', ')]),
    );
  });

  it('state the decimals and the dust limit of every coin on every network', () => {
    const stated = tableOf('docs/contract.md', 'coin').flatMap(([coin, networks = '', decimals, dust]) =>
      networks.split(', ').map((network) => [coin, network, decimals, dust]),
    );
    expect(stated).to.have.deep.members(
      COINS_ON_NETWORKS.map(({ coin, network }) => [
        coin,
        network,
        String(decimalsOf(coin, network)),
        dustOf(coin, network),
      ]),
    );
  });

  it('name every currency of prices, and how many decimals it has', () => {
    const from = CONTRACT.indexOf('\n### Prices');
    const text = CONTRACT.slice(from, CONTRACT.indexOf('\n### Settlement', from)).replaceAll(/\s+/g, ' ');
    const [last, ...others] = CURRENCY_IDS.toReversed();
    expect(CURRENCY_IDS).to.have.length(30);
    expect(text).to.include(` ${others.toReversed().join(', ')} and ${last};`);
    const decimals = (count: number) => CURRENCY_IDS.filter((id) => CURRENCIES[id].decimals === count);
    expect([decimals(0), decimals(3), decimals(2)].map(({ length }) => length)).to.deep.equal([2, 1, 27]);
    expect(text).to.include(
      `${decimals(0).join(' and ')} have no decimals, ${decimals(3).join()} has three, all others two.`,
    );
  });

  it('name the fields and the statuses of a refund, and those that events report', () => {
    const refunds = CONTRACT.slice(CONTRACT.indexOf('\n### Refunds'));
    expect(refunds).to.include(`\`{ ${Object.keys(RefundResource.properties).join(', ')} }\``);
    for (const name of Object.keys(RefundBody.properties)) expect(refunds).to.include(`\n- \`${name}\``);
    for (const status of REFUND_STATUSES) expect(refunds).to.include(`\n- ${status}: `);
    const { refund, transfer } = EventResource.properties.data.properties;
    for (const [name, { properties }] of Object.entries({ refund, transfer }))
      expect(CONTRACT).to.include(`- \`data.${name}\`: \`{ ${Object.keys(properties).join(', ')} }\``);
  });

  it('name the fields of a payment in their order', () => {
    const specified = tableOf('docs/specification.md', 'Field').map(first);
    const properties = Object.keys(PaymentResource.properties);
    expect(specified).to.deep.equal(properties.slice(0, specified.length));
    for (const added of properties.slice(specified.length)) expect(CONTRACT).to.include(`\`${added}\``);
  });

  it('state the schedule of retries and the deadline of a delivery', () => {
    const { webhookRetrySeconds, webhookTimeoutSeconds } = readConfig({
      NODE_ENV: 'test',
      DATABASE_URL: 'postgres://db/x',
    });
    const events = CONTRACT.slice(CONTRACT.indexOf('\n## Events')).replaceAll(/\s+/g, ' ');
    expect(events).to.include(`retried after ${webhookRetrySeconds.map(duration).join(', ')} (`);
    expect(events).to.include(`A delivery may take ${webhookTimeoutSeconds} s in all`);
  });
});

function duration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
