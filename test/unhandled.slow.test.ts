import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { endAll, ROOT, startNode } from './processes/service.ts';

const FIXTURE = fileURLToPath(new URL('support/unhandled.fixture.ts', import.meta.url));

describe('a run of the tests', function () {
  this.timeout(60_000);
  afterEach(endAll);

  for (const mode of ['--parallel', '--no-parallel'])
    it(`with an error that nothing handles fails, with ${mode}, although its tests pass`, async () => {
      const run = startNode(
        [`${ROOT}/node_modules/mocha/bin/mocha.js`, '--spec', FIXTURE, '--jobs', '2', mode],
        { NO_COLOR: '1' },
      );
      expect(await run.ended()).to.not.equal(0);
      expect(run.output())
        .to.match(/ 1 passing/)
        .and.include('rejected without a handler');
      expect(run.output()).to.include('every error was handled');
    });
});
