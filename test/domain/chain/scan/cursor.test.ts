import { expect } from 'chai';
import { Refused } from '../../../../src/domain/chain/rpc/refused.ts';
import { Branch } from '../../../../src/domain/chain/scan/branch.ts';
import { readCursor, writeCursor, type State } from '../../../../src/domain/chain/scan/cursor.ts';
import { finalize } from '../../../../src/domain/chain/scan/quorum.ts';

const NOW = new Date('2026-01-31T12:00:00Z');
/** The hash of the block of a height; another `branch` has others. */
const hashAt = (height: number, branch = 'a') =>
  `0x${branch.repeat(60)}${height.toString(16).padStart(4, '0')}`;

describe('the cursor of a chain that is final long after its blocks', () => {
  const again = (state: State): State => {
    const read = readCursor(writeCursor(state));
    if (typeof read === 'number') throw new Error('the cursor is a height');
    return read;
  };
  const stateOf = (blocks: number): State => ({
    final: { height: 1_000, hash: hashAt(1_000) },
    blocks: Array.from({ length: blocks }, (_, i) => hashAt(1_001 + i)),
    time: NOW.getTime(),
    transfers: [],
  });
  const judges = (branch?: string) => ({
    quorum: {
      needed: () => Promise.resolve([]),
      agrees: () => Promise.resolve(null),
      agreed: { hash: null },
    },
    headerAt: (height: number) => Promise.resolve({ hash: hashAt(height, branch) }),
  });
  const checkpoints = (final: number) => ({ final, named: [] });

  it('keeps the hashes of the newest 256 blocks, and of one in 64 of those below', () => {
    expect(again(stateOf(256))).to.deep.equal(stateOf(256));
    const { blocks, ...rest } = again(stateOf(4_800));
    const { blocks: all, ...others } = stateOf(4_800);
    expect(rest).to.deep.equal(others);
    expect(blocks).to.deep.equal(
      all.map((hash, i) => (i >= 4_800 - 256 || (1_001 + i) % 64 === 0 ? hash : undefined)),
    );
    expect(writeCursor(stateOf(4_800)).length).to.be.below(40_000);
    expect(again(again(stateOf(4_800)))).to.deep.equal(again(stateOf(4_800)));
  });

  it('makes the last block final whose hash was kept, which the provider must have as well', async () => {
    const branch = new Branch('arbitrum', again(stateOf(4_800)), NOW);
    expect([branch.hashAt(1_999), branch.tip.height]).to.deep.equal([undefined, 5_800]);
    const other = await finalize(branch, checkpoints(1_999), judges('b')).then(
      () => null,
      (error: unknown) => error,
    );
    expect(other).to.be.instanceOf(Refused);
    expect(branch.final.height).to.equal(1_000);
    await finalize(branch, checkpoints(1_999), judges());
    expect(branch.final).to.deep.equal({ height: 1_984, hash: hashAt(1_984) });
    expect(branch.tip.height).to.equal(5_800);
  });
});
