import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { endAll, startNode, type Service } from './service.ts';

const FIXTURE = fileURLToPath(new URL('lifetime.fixture.ts', import.meta.url));

describe("a process's life", function () {
  this.timeout(40_000);
  afterEach(endAll);

  const start = (how: string, drainSeconds = 20): Service =>
    startNode(['--import', 'tsx', FIXTURE, how, String(drainSeconds)], {}, { mayFail: how === 'goes-on' });

  it('closes what it opened, last first, and ends with 0 at a signal', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = start('well');
      await service.says('started');
      service.signal(signal);
      expect(await service.ended()).to.equal(0);
      expect(service.output()).to.equal('starting\nstarted\nclosing\nfirst closed last\n');
    }
  });

  it('takes a signal that comes twice at once, as Ctrl-C under npm does, for one', async () => {
    const service = start('well');
    await service.says('started');
    service.signal('SIGINT');
    service.signal('SIGINT');
    expect(await service.ended()).to.equal(0);
    expect(service.output()).to.include('first closed last');
  });

  it('ends in order also when its output has no reader any more', async () => {
    const service = start('well');
    await service.says('started');
    service.hangUp();
    service.signal('SIGTERM');
    expect(await service.ended()).to.equal(0);
  });

  it('gives up draining at its deadline, with 1, and says what it could not close', async () => {
    const service = start('stuck', 0.2);
    await service.says('started');
    service.signal('SIGTERM');
    expect(await service.ended()).to.equal(1);
    expect(service.output()).to.include('"closing":"second"').and.not.include('first closed last');
  });

  it('closes the rest when closing one thing fails, with 1', async () => {
    const service = start('faulty');
    await service.says('started');
    service.signal('SIGTERM');
    expect(await service.ended()).to.equal(1);
    expect(service.output()).to.include('first closed last');
  });

  it('does not leave things half-started at a signal: it starts, and then closes', async () => {
    const service = start('slow');
    await service.says('starting');
    service.signal('SIGTERM');
    service.signal('SIGUSR2');
    expect(await service.ended()).to.equal(0);
    expect(service.output()).to.equal('starting\nstarted\nclosing\nfirst closed last\n');
  });

  it("prints operators' faults in one line and its own in full; closes; exits with 1", async () => {
    const [operator, bug] = [start('operator'), start('bug')];
    expect([await operator.ended(), await bug.ended()]).to.deep.equal([1, 1]);
    // The reason comes by the other pipe: where it stands among the lines of this one says nothing.
    const lines = operator.output().trimEnd().split('\n');
    expect(lines.filter((line) => line !== 'PORT is taken')).to.deep.equal([
      'starting',
      'closing',
      'first closed last',
    ]);
    expect(lines).to.include('PORT is taken');
    expect(bug.output()).to.include('TypeError: undefined is no function\n    at ');
    expect(bug.output()).to.include('first closed last');
  });

  it('goes on after errors that nothing handles, counts them and logs each with its stack', async () => {
    const service = start('goes-on');
    await service.says(/unhandled error.*unhandled error/s);
    const entries = service
      .printed()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(
      entries.map(({ level, message, origin, error }) => [level, message, origin, error]),
    ).to.have.deep.members([
      ['error', 'unhandled error', 'unhandledRejection', 'rejected without a handler'],
      ['error', 'unhandled error', 'uncaughtException', 'emitted without a listener'],
    ]);
    for (const { stack } of entries) expect(stack).to.match(/Error: .*\n +at /);
    service.signal('SIGTERM');
    expect(await service.ended()).to.equal(0);
    expect(service.output()).to.include('counted 2');
  });

  it('ends with 1 when such an error comes before it has started, or in a command that runs once', async () => {
    for (const how of ['throws-early', 'once-throws']) {
      const service = start(how, 0.2);
      expect(await service.ended(), how).to.equal(1);
      expect(service.output()).to.match(/Error: (nobody handles this|late)\n +at /);
    }
  });

  it('ends by itself when its work is done once', async () => {
    const service = start('once');
    expect(await service.ended()).to.equal(0);
    expect(service.output()).to.include('first closed last');
  });
});
