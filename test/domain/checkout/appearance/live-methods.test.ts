import { expect } from 'chai';
import { appearanceEndpoints } from '../../../../src/domain/checkout/routes.ts';
import { findCaller } from '../../../../src/domain/merchants/api-keys.ts';
import { setAcceptedMethods } from '../../../../src/domain/merchants/accepted-methods.ts';
import { hashApiKey } from '../../../../src/platform/values/ids.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';

const USDC = { coin: 'USDC', network: 'ethereum' } as const;
const ETHER = { coin: 'ETH', network: 'ethereum' } as const;

describe('the methods that a live merchant chooses', () => {
  let harness: Harness;
  let real: RealNetwork;
  eachShop(({ harness: opened, shop }) => {
    harness = opened;
    real = openRealNetwork(harness, shop);
  });

  const set = async (apiKey: string, methods: readonly object[]) => {
    const caller = await findCaller(harness.ctx.db, hashApiKey(apiKey));
    const endpoint = appearanceEndpoints(real.adapters).find((one) => one.operationId === 'setAppearance');
    if (caller === null || endpoint === undefined) throw new Error('there is no such endpoint');
    const asked = { body: { methods }, params: {}, query: {}, file: null, claim: null };
    const { text } = await endpoint.handle({ ctx: harness.ctx, caller, ...asked, isAbandoned: () => false });
    return (JSON.parse(text) as { methods: unknown }).methods;
  };

  it('are refused where live payments do not take them, and the message says what they take', async () => {
    const { id, apiKey } = await harness.addMerchant({ mode: 'live' });
    const refused = async () => set(apiKey, [USDC, ETHER]).catch((error: unknown) => error);
    expect(await refused()).to.have.nested.property('details.field', 'methods.1');
    expect(String(await refused())).to.include(
      'cannot be ETH on ethereum: live payments take USDC on ethereum;',
    );
    expect(await set(apiKey, [USDC])).to.deep.equal([USDC]);
    await setAcceptedMethods(harness.ctx.db, id, [ETHER]);
    expect(await set(apiKey, [ETHER, USDC])).to.deep.equal([ETHER, USDC]);
  });

  it('are any that are served where everything is converted', async () => {
    expect(await set(harness.merchant.apiKey, [ETHER])).to.deep.equal([ETHER]);
  });
});
