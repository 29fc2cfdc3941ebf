import { expect } from 'chai';
import { Branch } from '../../../../src/domain/chain/scan/branch.ts';

describe('the branch of a chain that is read', () => {
  it('has room for the sightings of others, however often one replaces a transaction', () => {
    const now = new Date('2026-01-31T12:00:00Z');
    const state = { final: { height: 1_000, hash: 'f'.repeat(64) }, blocks: [], time: 0, transfers: [] };
    const branch = new Branch('bitcoin', state, now);
    const sight = (address: string, txHash: string, input: string) =>
      branch.sight([
        {
          txHash,
          coin: 'BTC',
          address,
          sender: null,
          amount: '0.001',
          from: null,
          nonce: null,
          inputs: [input],
        },
      ]);
    for (let replacing = 0; replacing < 2_000; replacing += 1)
      sight('theirs', `theirs ${replacing}`, 'same:0');
    sight('ours', 'ours 1', 'other:0');
    const sighted = branch.changes().map(({ txHash }) => txHash);
    expect(sighted).to.include('ours 1');
    expect(sighted).to.have.length.below(50);
  });
});
