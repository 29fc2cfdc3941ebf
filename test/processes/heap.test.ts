import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';

describe('the heap of a process', () => {
  // V8 only warns of a flag that it does not know. `npm run bench -- memory` measures what it does.
  it('is collected early by a flag that this Node has', () => {
    const file = new URL('../../src/processes/setup/lifetime.ts', import.meta.url);
    const [, flag] = /setFlagsFromString\(`(--[a-z-]+)=/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(flag).to.be.a('string');
    expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).to.include(`${flag} `);
  });
});
