import { expect } from 'chai';
import { Branch } from '../../../../src/domain/chain/scan/branch.ts';
import { waitingForOthers } from '../../../../src/domain/chain/scan/quorum.ts';

const NOW = new Date('2026-01-31T12:00:00Z');
const FINAL = 1_000;

describe('the second opinion about large transfers', () => {
  /** A branch with so many blocks above the final one, each with a transfer. */
  function branchOf(blocks: number): Branch {
    const state = { final: { height: FINAL, hash: 'f' }, blocks: [], time: 0, transfers: [] };
    const branch = new Branch('ethereum', state, NOW);
    for (let at = 1; at <= blocks; at += 1) {
      const unknown = { sender: null, from: null, nonce: null };
      const found = { txHash: `tx ${at}`, coin: 'USDC', address: '0x1', amount: '5000', ...unknown } as const;
      const block = { height: FINAL + at, hash: `block ${at}`, time: NOW, claimants: () => new Map() };
      branch.extend(block, [found]);
    }
    return branch;
  }
  /** Another host that has so many of the blocks, and which it was asked for; null: it is away. */
  function otherHost(has: number | null) {
    const asked: number[] = [];
    const agreed: { hash: string | null } = { hash: null };
    const quorum = {
      needed: <T>(transfers: T) => Promise.resolve(transfers),
      agrees({ height }: { height: number }) {
        asked.push(height - FINAL);
        return Promise.resolve(has === null ? null : height - FINAL <= has);
      },
      agreed,
    };
    return { asked, quorum };
  }

  it('is asked for once where the other host has the highest block', async () => {
    const { asked, quorum } = otherHost(300);
    for (let poll = 0; poll < 2; poll += 1)
      expect(await waitingForOthers(branchOf(300), quorum)).to.deep.equal([]);
    expect(asked).to.deep.equal([300]);
  });

  it('takes some questions where it has a part of them, or none, however many they are', async () => {
    for (const has of [0, 1, 150, 299]) {
      const { asked, quorum } = otherHost(has);
      const waiting = await waitingForOthers(branchOf(300), quorum);
      expect(waiting, String(has)).to.deep.equal(
        Array.from({ length: 300 - has }, (_, i) => `tx ${has + i + 1}`),
      );
      expect(asked.length, String(has)).to.be.below(12);
    }
  });

  it('is not sought further where the other host is away, and what it has agreed on stays agreed', async () => {
    const { asked, quorum } = otherHost(null);
    quorum.agreed.hash = 'block 200';
    expect(await waitingForOthers(branchOf(300), quorum)).to.have.length(100);
    expect(asked).to.deep.equal([300]);
    expect(quorum.agreed.hash).to.equal('block 200');
  });
});
