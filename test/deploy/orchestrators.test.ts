import { expect } from 'chai';
import { parse } from 'yaml';
import { KNOWN_VARIABLES } from '../../src/platform/config/config.ts';
import { SECRET_FILE_VARIABLES, SECRET_VARIABLES } from '../../src/platform/config/secret-files.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';
import { filesBelow, read } from '../support/documents.ts';

const UNITS = filesBelow('deploy/systemd').filter((file) => file.endsWith('.service'));
/** It runs a command, and ends. */
const FLUSH = 'deploy/systemd/payment-checkout-flush@.service';
const CHART = 'deploy/helm/payment-checkout';
/** Settings of the platform, not of the service. */
const FOREIGN = ['NODE_ENV', 'NODE_OPTIONS'];

describe('the units of systemd', () => {
  it('start the processes of the Procfile', () => {
    const starts = UNITS.filter((file) => file !== FLUSH).map(
      (file) => /^ExecStart=\/usr\/bin\/(.*)$/m.exec(read(file))?.[1],
    );
    const lines = read('Procfile').trim().split('\n');
    expect(starts).to.have.members(lines.map((line) => line.split(': ')[1]));
  });

  for (const file of UNITS)
    describe(file, () => {
      const unit = read(file);

      it('sets variables that exist, and secrets from credentials that it loads', () => {
        const set = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
        const loaded = [...unit.matchAll(/^LoadCredential=(\w+):/gm)].map(([, name]) => name);
        for (const assignment of set) {
          const [name = '', value = ''] = assignment.split('=');
          expect([...KNOWN_VARIABLES, ...SECRET_FILE_VARIABLES, ...FOREIGN]).to.include(name);
          if (name.endsWith('_FILE')) expect(loaded).to.include(value.replace('%d/', ''));
          expect(SECRET_VARIABLES).not.to.include(name);
        }
        expect(set.map((one) => one.split('=')[0])).to.include.members([
          'DATABASE_URL_FILE',
          'SECRETS_KEY_FILE',
        ]);
      });

      it('is hardened, with a /tmp of its own', () => {
        for (const line of [
          'DynamicUser=yes',
          'ProtectSystem=strict',
          'ProtectHome=yes',
          'PrivateTmp=yes',
          'NoNewPrivileges=yes',
          'CapabilityBoundingSet=',
          'SystemCallFilter=@system-service',
        ])
          expect(unit.split('\n')).to.include(line);
      });

      if (!file.includes('release') && file !== FLUSH)
        it('has probes and metrics on a port of its own', () => {
          const port = file.includes('web') ? '9090' : file.includes('watcher') ? '9100' : '909%i';
          expect(unit).to.include(`\nEnvironment=ADMIN_PORT=${port} ADMIN_PASSWORD_FILE=%d/admin_password\n`);
        });

      if (!file.includes('release') && file !== FLUSH)
        it('waits for the release, and longer than the process takes to drain', () => {
          expect(unit).to.match(/^Requires=payment-checkout-release\.service$/m);
          expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).to.be.greaterThan(25);
        });
    });

  it('flush forwarders by a timer, with a key that no other unit loads', () => {
    const unit = read(FLUSH);
    const command =
      /^ExecStart=\/bin\/sh -c '.* exec \/usr\/bin\/node dist\/processes\/ops\.js (.*) \$\$FLUSH_OPTIONS'$/m;
    expectsNoMistake(command.exec(unit)?.[1]?.replaceAll('%i', 'ethereum') ?? '');
    expect(unit).to.match(/^Type=oneshot$/m);
    expect(unit).to.match(/^Requires=payment-checkout-release\.service$/m);
    expect(read(FLUSH.replace('.service', '.timer'))).to.match(/^OnCalendar=\*:15$/m);
    for (const file of UNITS.filter((one) => one !== FLUSH)) expect(read(file)).to.not.match(/gas.?wallet/i);
  });
});

/** Throws what the program would say of a mistake in its arguments. */
function expectsNoMistake(args: string): void {
  const command = parseOpsCommand(args.split(/\s+/).filter((arg) => arg !== ''));
  expect(command).to.deep.include({ name: 'wallet flush', changes: true, readsChains: true });
}

describe('the Helm chart', () => {
  const values = parse(read(`${CHART}/values.yaml`)) as {
    secretKeys: string[];
    env: Record<string, string>;
    terminationGracePeriodSeconds: number;
  };
  const schema = JSON.parse(read(`${CHART}/values.schema.json`)) as {
    properties: {
      secretKeys: { items: { enum: string[] } };
      watcher: { properties: { secretKeys: { items: { enum: string[] } } } };
    } & Record<string, unknown>;
  };

  it('starts the processes of the Procfile', () => {
    const commands = filesBelow(`${CHART}/templates`)
      .flatMap((file) => [...read(file).matchAll(/^ +command: \[(node, [^\]]+)\]$/gm)])
      .map(([, command = '']) => command.replace(', ', ' '));
    const lines = read('Procfile').trim().split('\n');
    expect(commands).to.have.members(lines.map((line) => line.split(': ')[1]));
  });

  it('names variables that exist, and takes each secret from the Secret', () => {
    expect(KNOWN_VARIABLES).to.include.members(Object.keys(values.env));
    expect(SECRET_VARIABLES).to.include.members(values.secretKeys);
    const watched = schema.properties.watcher.properties.secretKeys.items.enum;
    expect([...schema.properties.secretKeys.items.enum, ...watched]).to.have.members([...SECRET_VARIABLES]);
    expect(watched.every((name) => /^(?:RPC|BITCOIN)_/.test(name))).to.equal(true);
    const named = [...read(`${CHART}/templates/_helpers.tpl`).matchAll(/name: ([A-Z_]+), value/g)];
    for (const [, name = ''] of named) expect([...KNOWN_VARIABLES, ...FOREIGN]).to.include(name);
  });

  it('flushes forwarders by a CronJob, with a key that no other pod gets', () => {
    const template = read(`${CHART}/templates/flush.yaml`);
    const [, args = ''] = /processes\/ops\.js ([^<]*)</.exec(template) ?? [];
    expectsNoMistake(args.replace('{{ . }}', 'ethereum').replace(/{{.*}}/, '--min-usd 20'));
    expect(template).to.include('concurrencyPolicy: Forbid');
    for (const file of filesBelow(`${CHART}/templates`).filter((one) => !one.endsWith('flush.yaml')))
      expect(read(file)).to.not.match(/gas.?wallet/i);
  });

  it('describes each value in its schema', () => {
    expect(Object.keys(schema.properties)).to.include.members(Object.keys(values));
  });

  it('restarts a process that does not respond, and none that waits', () => {
    for (const name of ['web', 'worker', 'watcher']) {
      const probes = [...read(`${CHART}/templates/${name}.yaml`).matchAll(/(\w+)Probe:\n +(.*)\n/g)];
      expect(probes.map(([, kind, what]) => `${kind} ${what}`)).to.deep.equal([
        'startup httpGet: { path: /livez, port: admin }',
        'liveness httpGet: { path: /livez, port: admin }',
        'readiness httpGet: { path: /readyz, port: admin }',
      ]);
    }
  });

  it('lets pods run without root, capabilities or a file system to write', () => {
    const helpers = read(`${CHART}/templates/_helpers.tpl`);
    for (const line of [
      'runAsNonRoot: true',
      'seccompProfile: { type: RuntimeDefault }',
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
      'capabilities: { drop: [ALL] }',
      'automountServiceAccountToken: false',
    ])
      expect(helpers).to.include(line);
    expect(values.terminationGracePeriodSeconds).to.be.greaterThan(25);
  });
});
