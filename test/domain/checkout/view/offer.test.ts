import { expect } from 'chai';
import { SIMULATED_CHAINS } from '../../../../src/domain/chain/profile.ts';
import { isPayable, methodsOf, type Settling } from '../../../../src/domain/checkout/view/offer.ts';

const PAR = { coin: 'USDC', network: 'ethereum' } as const;
const ETHER = { coin: 'ETH', network: 'ethereum' } as const;
const ON_POLYGON = { coin: 'USDC', network: 'polygon' } as const;

describe('the methods on offer', () => {
  const payment = (own: Partial<Settling> = {}): Settling => ({
    settlement_mode: 'par',
    pay_currency: 'USDC',
    pay_network: 'ethereum',
    accepted_methods: [],
    ...own,
  });

  it("are the merchant's choice, all by default, where everything is converted", () => {
    const simulated = payment({ settlement_mode: 'simulated', accepted_methods: [ETHER] });
    expect(methodsOf(simulated, null)).to.equal(null);
    expect(methodsOf(simulated, [ON_POLYGON])).to.deep.equal([ON_POLYGON]);
  });

  it('are the settlement coin alone where nothing else is accepted', () => {
    expect(methodsOf(payment(), null)).to.deep.equal([PAR]);
    expect(methodsOf(payment(), [ETHER, ON_POLYGON])).to.deep.equal([PAR]);
  });

  it('are the settlement coin and what is accepted, each once, in the order of the choice', () => {
    const accepting = payment({ accepted_methods: [ETHER, PAR, ON_POLYGON] });
    expect(methodsOf(accepting, null)).to.deep.equal([PAR, ETHER, ON_POLYGON]);
    expect(methodsOf(accepting, [ON_POLYGON, PAR, { coin: 'BTC', network: 'bitcoin' }])).to.deep.equal([
      ON_POLYGON,
      PAR,
    ]);
    expect(methodsOf(accepting, [ETHER])).to.deep.equal([ETHER]);
  });

  it('can be paid with where their network is served and both coins have a price, the settlement coin without', () => {
    const priced = (...coins: readonly string[]) => ({
      networks: ['ethereum' as const],
      isHalted: () => false,
      chains: SIMULATED_CHAINS,
      priced: { has: (coin: string) => coins.includes(coin), refresh: () => Promise.resolve() },
    });
    expect(isPayable(priced(), payment(), PAR)).to.equal(true);
    expect(isPayable(priced('ETH', 'USDC'), payment(), ETHER)).to.equal(true);
    for (const coin of ['ETH', 'USDC']) expect(isPayable(priced(coin), payment(), ETHER)).to.equal(false);
    expect(isPayable(priced('USDC'), payment(), ON_POLYGON)).to.equal(false);
    expect(isPayable({ ...priced(), isHalted: () => true }, payment(), PAR)).to.equal(false);
  });
});
