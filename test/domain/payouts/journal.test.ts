import { appendFile, copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Journal, type SignedEntry } from '../../../src/domain/payouts/journal.ts';

const ACCOUNT = `0x${'a'.repeat(40)}`;
const NOW = new Date('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;

const entry = (nonce: number, at = NOW): SignedEntry => ({
  kind: 'signed',
  at: at.toISOString(),
  refund: `ref_${nonce}`,
  intent: 'hash',
  network: 'ethereum',
  account: ACCOUNT,
  nonce,
  hash: `0x${nonce}`,
  raw: '02',
  method: 'USDC/ethereum',
  amount: '5',
  usd: '5',
});

describe('the journal of the signer', () => {
  let folder: string;
  let journal: Journal;
  const path = () => join(folder, 'journal');
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'journal-'));
    journal = await Journal.open(path(), ACCOUNT, NOW);
    await journal.append(entry(0));
  });
  afterEach(async () => {
    await journal.close();
    await rm(folder, { recursive: true });
  });
  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('takes no line behind one of another process, nor after that', async () => {
    const other = await Journal.open(path(), ACCOUNT, NOW);
    await other.append(entry(1));
    await other.close();
    expect(await faultOf(journal.append(entry(1)))).to.match(/not what this process has written/);
    expect(await faultOf(journal.append(entry(1)))).to.match(/restart the signer/);
    await journal.close();
    journal = await Journal.open(path(), ACCOUNT, NOW);
    expect(journal.nextNonce('ethereum')).to.equal(2);
  });

  it('takes no line once its file was removed, replaced or written to', async () => {
    for (const change of [
      () => rm(path()),
      async () => {
        await copyFile(path(), `${path()}.copy`);
        await rename(`${path()}.copy`, path());
      },
      () => appendFile(path(), ' '),
    ]) {
      await change();
      expect(await faultOf(journal.append(entry(1)))).to.match(/not what this process has written/);
      await journal.close();
      await rm(path(), { force: true });
      journal = await Journal.open(path(), ACCOUNT, NOW);
      await journal.append(entry(0));
    }
  });

  it('forgets nothing by a clock that jumps ahead and back, and nothing of a day by a restart', async () => {
    const now = NOW.getTime();
    expect(journal.spent(now + 48 * HOUR_MS)).to.have.length(0);
    expect(journal.spent(now)).to.have.length(1);
    await journal.close();
    journal = await Journal.open(path(), ACCOUNT, new Date(now + 24 * HOUR_MS));
    expect(journal.spent(now + 24 * HOUR_MS)).to.have.length(1);
    await journal.close();
    journal = await Journal.open(path(), ACCOUNT, new Date(now + 48 * HOUR_MS));
    expect(journal.spent(now), 'a clock that was ahead at its start').to.have.length(1);
    await journal.append(entry(1, new Date(now + 26 * HOUR_MS)));
    await journal.close();
    journal = await Journal.open(path(), ACCOUNT, new Date(now + 26 * HOUR_MS));
    expect([journal.spent(now).length, journal.hasSigned('ref_0')]).to.deep.equal([1, true]);
  });
});
