import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { endAll, freePort, startProcess } from '../processes/service.ts';
import { createStand, type Stand } from '../processes/stand.ts';
import { CERTIFICATES, RECEIVER_KEY, TEST_AUTHORITY, type CertificateKind } from '../support/certificates.ts';
import { redisCall, startRedis, type RedisServer } from '../support/redis.ts';
import { until } from '../support/until.ts';

describe('Redis by TLS, with an authority of its own', () => {
  let stand: Stand;
  let folder: string;
  let redis: RedisServer | null = null;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'test-tls-'));
    writeFileSync(join(folder, 'ca.pem'), TEST_AUTHORITY);
    writeFileSync(join(folder, 'key.pem'), RECEIVER_KEY);
    stand = await createStand();
  });
  afterEach(async () => {
    await endAll();
    await redis?.stop();
  });
  after(async () => {
    await stand.close();
    rmSync(folder, { recursive: true });
  });

  /** Returns the URL of the TLS port; the other one stays open, for the test itself. */
  const start = async (kind: CertificateKind) => {
    const port = await freePort();
    writeFileSync(join(folder, 'cert.pem'), CERTIFICATES[kind]);
    const file = (name: string) => join(folder, name);
    const flags = `--tls-port ${port} --tls-cert-file ${file('cert.pem')} --tls-key-file ${file('key.pem')} --tls-ca-cert-file ${file('ca.pem')} --tls-auth-clients no`;
    redis = await startRedis(flags.split(' '));
    return `rediss://127.0.0.1:${port}`;
  };
  const trusting = () => ({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') });
  const refusal = async (name: 'web' | 'worker', REDIS_URL: string, env = {}) => {
    const service = startProcess(name, { ...stand.env, PORT: '0', REDIS_URL, ...env });
    expect(await service.ended()).to.equal(1);
    return service.output().trim();
  };

  it('a payment is settled where NODE_EXTRA_CA_CERTS names the authority', async () => {
    const env = { REDIS_URL: await start('trusted'), ...trusting() };
    const [web] = await Promise.all([stand.startWeb(env), stand.startWorker(env)]);
    const created = await web.api('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'by-tls' });
    expect(created.status).to.equal(201);
    const { id } = (await created.json()) as { id: string };
    await until('the payment is settled', async () => {
      const [row] = await stand.rows<{ status: string }>('SELECT status FROM payments WHERE id = ?', [id]);
      return row?.status === 'SETTLED';
    });
    const keys = (await redisCall(redis?.url ?? '', 'KEYS', '{checkout}:settlement:*')) as string[];
    expect(keys, 'the queues are in this Redis').to.have.length.above(0);
  });

  for (const name of ['web', 'worker'] as const)
    it(`${name} refuses to start where the authority is unknown, and says what to set`, async () => {
      const url = await start('trusted');
      expect(await refusal(name, url)).to.match(
        /^REDIS_URL: 127\.0\.0\.1:\d+ .*authority.* is not trusted.* NODE_EXTRA_CA_CERTS=\/path\/ca\.pem/,
      );
    });

  it('a start names a port that speaks no TLS where rediss:// asks for it, and the reverse', async () => {
    const withTls = await start('trusted');
    const plain = redis?.url ?? '';
    expect(await refusal('worker', plain.replace('redis://', 'rediss://'))).to.match(
      /^REDIS_URL: \S+:\d+ speaks no TLS on this port/,
    );
    expect(await refusal('web', withTls.replace('rediss://', 'redis://'))).to.match(
      /^REDIS_URL: 127\.0\.0\.1:\d+ speaks TLS: write rediss:\/\/$/,
    );
  });

  it('a certificate for another host, or one that has expired, is refused by name', async () => {
    expect(await refusal('worker', await start('wrong_name'), trusting())).to.match(
      /^REDIS_URL: 127\.0\.0\.1:\d+ .*certificate that is for another host/,
    );
    await redis?.stop();
    expect(await refusal('worker', await start('expired'), trusting())).to.match(
      /^REDIS_URL: 127\.0\.0\.1:\d+ .*certificate that is not valid at this time/,
    );
  });
});
