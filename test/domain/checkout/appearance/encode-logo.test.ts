import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { interlaced } from '../../../support/images.ts';

const ENCODE = fileURLToPath(new URL('../../../support/encode-logos.ts', import.meta.url));
/** What a process with five images of the largest size in memory would exceed. */
const MEMORY_KB = 300000;

describe('five logos at once, in a process with little memory', () => {
  const encode = (side: number): string[] => {
    const command = `ulimit -d ${MEMORY_KB}; exec "$0" --import tsx "$1"`;
    const args = ['-c', command, process.execPath, ENCODE];
    return execFileSync('bash', args, { input: interlaced(side), encoding: 'utf8' })
      .trim()
      .split('\n');
  };

  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  it('are encoded, one after the other, at the largest size that is taken', () => {
    expect(encode(2048)).to.deep.equal(Array(5).fill('encoded'));
  });

  it('are refused by their header when they are larger: 95 kB that would take 120 MB each', () => {
    expect(interlaced(3500).length).to.be.within(90_000, 100_000);
    for (const result of encode(3500)) expect(result).to.match(/^body has 3500x3500 pixels/);
  });
});
