import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { cruise, type IModule } from 'dependency-cruiser';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { spec: pure } = createRequire(import.meta.url)('../.mocharc.pure.cjs') as { spec: string[] };

describe('the pure tests', () => {
  it('are all tests of `npm test` that start no process, and no others', async () => {
    const modules = await modulesOf('test');
    const tests = [...modules.keys()].filter(
      (file) => file.endsWith('.test.ts') && !/\.slow\.|^test\/browser\//.test(file),
    );
    expect(tests).to.include.members(['test/pure-tests.test.ts', 'test/architecture.test.ts']);
    expect(pure).to.have.members(tests.filter((file) => !loads(modules, file, 'child_process')));
    expect(pure.length).to.be.greaterThan(1).and.lessThan(tests.length);
  });
});

async function modulesOf(folder: string): Promise<ReadonlyMap<string, IModule>> {
  const { output } = await cruise([folder], {
    baseDir: ROOT,
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  });
  if (typeof output === 'string') throw new Error(output);
  return new Map(output.modules.map((module) => [module.source, module]));
}

/** Whether `file`, or a module that it loads, loads the module `name`. */
function loads(
  modules: ReadonlyMap<string, IModule>,
  file: string,
  name: string,
  seen = new Set<string>(),
): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  return (modules.get(file)?.dependencies ?? [])
    .filter(({ dependencyTypes }) => !dependencyTypes.includes('type-only'))
    .some(({ resolved }) => resolved === name || loads(modules, resolved, name, seen));
}
