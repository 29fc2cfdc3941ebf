import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { KNOWN_VARIABLES } from '../../src/platform/config/config.ts';
import { SECRET_VARIABLES } from '../../src/platform/config/secret-files.ts';
import { read, ROOT } from '../support/documents.ts';

interface Service {
  readonly image?: string;
  readonly command?: readonly string[] | string;
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, { ipv4_address: string }>>;
  readonly restart: string;
  readonly ports?: readonly string[];
  readonly init: boolean;
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly cap_drop: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt: readonly string[];
  readonly logging: { driver: string; options: Record<string, string> };
  readonly stop_grace_period: string;
  readonly healthcheck: { test?: readonly string[]; disable?: boolean };
  readonly deploy: { resources: { limits: Record<string, unknown> } };
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<
    string,
    { internal?: boolean; ipam?: { config: { subnet: string; ip_range: string }[] } } | null
  >;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { command }]) => command?.[0] === 'node');
/** Longer than DRAIN_SECONDS of a process. */
const DRAIN_SECONDS = 25;

describe('docker-compose.yml', () => {
  it('has the processes of the Procfile', () => {
    const lines = ours.map(([name, { command }]) => `${name}: ${[command].flat().join(' ')}`);
    expect(lines).to.have.members(read('Procfile').trim().split('\n'));
  });

  for (const [name, service] of services)
    it(`hardens ${name}: read-only, no capabilities, limits, rotated logs, a check of its health`, () => {
      expect(service).to.deep.include({ init: true, read_only: true, cap_drop: ['ALL'] });
      expect(service.cap_add ?? []).to.deep.equal(name === 'proxy' ? ['NET_BIND_SERVICE'] : []);
      expect(service.security_opt).to.deep.equal(['no-new-privileges:true']);
      expect(service.tmpfs.join()).to.match(/^\/tmp:size=/);
      expect(service.logging.options).to.have.all.keys('max-size', 'max-file');
      expect(service.deploy.resources.limits).to.have.all.keys('cpus', 'memory', 'pids');
      expect(service.restart).to.equal(name === 'release' ? 'no' : 'unless-stopped');
      if (name !== 'release') expect(service.healthcheck.test).not.to.equal(undefined);
    });

  it('calls a process unhealthy that does not respond, and none that waits', () => {
    for (const name of ['web', 'worker', 'watcher'])
      expect(compose.services[name]?.healthcheck.test?.join(' '), name).to.include("ADMIN_PORT + '/livez'");
  });

  it('pins every image that it pulls by its digest, and so does the Dockerfile', () => {
    const pulled = services.flatMap(([, { image }]) => (image === 'payment-checkout:local' ? [] : [image]));
    const from = [...read('Dockerfile').matchAll(/^FROM (\S+:\S+)/gm)].map(([, image]) => image);
    expect(pulled).to.have.lengthOf(3);
    expect(from).to.have.lengthOf(1);
    for (const image of [...pulled, ...from]) expect(image).to.match(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  });

  it('passes every variable on, the providers of networks to the watcher alone, and secrets as files', () => {
    const passed = KNOWN_VARIABLES.filter((name) => name !== 'PORT' && name !== 'HOST');
    for (const [name, { environment = {} }] of ours) {
      const needed = passed.filter((one) => name === 'watcher' || !/^(?:RPC|BITCOIN)_/.test(one));
      const given = Object.keys(environment).map((key) => key.replace(/_FILE$/, ''));
      expect(given, name).to.have.members([...needed, 'NODE_ENV']);
      for (const secret of SECRET_VARIABLES)
        expect(environment[secret] ?? null, `${name}: ${secret}`).to.equal(null);
    }
  });

  it('gives each service the secrets whose files it names, from files that the script makes', () => {
    for (const [name, { environment = {}, secrets = [] }] of services) {
      const files = Object.entries(environment).flatMap(([key, path]) =>
        key.endsWith('_FILE') ? [String(path).replace('/run/secrets/', '')] : [],
      );
      expect(secrets, name).to.include.members(files);
      expect(Object.keys(compose.secrets)).to.include.members([...secrets]);
    }
    const made = [...read('deploy/compose/make-secrets.sh').matchAll(/\| keep (\w+)/g)].map(
      ([, name]) => name,
    );
    expect(made).to.have.members(Object.keys(compose.secrets));
    for (const [name, { file }] of Object.entries(compose.secrets))
      expect(file).to.equal(`./secrets/${name}`);
    for (const list of ['.gitignore', '.dockerignore'].map(read))
      expect(list).to.match(/^(\/secrets\/|\*)$/m);
  });

  it('mounts only files that exist, and to be read', () => {
    for (const [name, { volumes = [] }] of services)
      for (const volume of volumes.filter((one) => one.startsWith('./'))) {
        const [file = '', , mode] = volume.split(':');
        expect(existsSync(join(ROOT, file)), `${name}: ${file}`).to.equal(true);
        expect(mode, volume).to.equal('ro');
      }
  });

  it('gives web and worker longer to stop than they take to drain', () => {
    for (const [name, { stop_grace_period }] of ours)
      expect(Number.parseInt(stop_grace_period, 10), name).to.be.greaterThan(DRAIN_SECONDS);
  });

  it('trusts the proxy alone, at an address that no other container can get', () => {
    const proxy = compose.services.proxy?.networks as Record<string, { ipv4_address: string }>;
    const address = proxy.edge?.ipv4_address ?? '';
    expect(compose.services.web?.environment?.TRUSTED_PROXIES).to.equal(`\${TRUSTED_PROXIES:-${address}}`);
    const [range] = compose.networks.edge?.ipam?.config ?? [];
    expect(range).to.deep.equal({ subnet: '172.30.84.0/24', ip_range: '172.30.84.128/25' });
    expect(address).to.match(/^172\.30\.84\.([2-9]|[1-9]\d|1[01]\d|12[0-7])$/);
  });

  it('publishes web to this machine only, and neither Postgres nor Redis, which have no way out', () => {
    expect(compose.services.web?.ports).to.deep.equal(['127.0.0.1:${WEB_PORTS:-3000}:3000']);
    expect(compose.networks.data?.internal).to.equal(true);
    for (const [name, { ports, networks }] of services) {
      expect(ports !== undefined, name).to.equal(name === 'web' || name === 'proxy');
      if (name === 'postgres' || name === 'redis') expect(networks).to.deep.equal(['data']);
    }
  });

  it('keeps the queue in Redis: a password, no eviction, a log of what is written', () => {
    const script = read('deploy/compose/redis.sh');
    for (const line of ['appendonly yes', 'maxmemory-policy noeviction', 'requirepass $(cat '])
      expect(script).to.include(`\n${line}`);
  });

  it('has a .env.example that names variables of its own', () => {
    const names = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(names).to.have.lengthOf.greaterThan(1);
    for (const name of names) expect(read('docker-compose.yml')).to.match(new RegExp(`\\$\\{${name}[:}]`));
  });
});
