import { expect } from 'chai';
import { checkInvariants } from '../support/invariants.ts';
import { captureLog } from '../support/logs.ts';
import { redisCall, redisCommand, startRedis, type RedisServer } from '../support/redis.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const SLOTS = 16_384;
const NODES = 3;

describe('a Redis Cluster', () => {
  const nodes: RedisServer[] = [];
  let service: Service;
  before(async function () {
    if (redisCommand === null) this.skip();
    nodes.push(...(await startCluster()));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });

  it('carries the queues and the limits, spread over its nodes', async () => {
    const env = () => Promise.resolve({ REDIS_URL: nodes.map(({ url }) => url).join(',') });
    service = await startService({ name: 'redis', env, flush: () => Promise.resolve() });
    try {
      await Promise.all([service.startWorker(), service.startWorker()]);
      const ids = await Promise.all(Array.from({ length: 15 }, () => service.shop.create()));
      for (const id of ids) await service.shop.pay(id);
      await service.passUntil('all are settled and delivered', async () => {
        const payments = await Promise.all(ids.map((id) => service.shop.payment(id)));
        const events = new Set(service.receiver.requests.map(({ headers }) => headers['webhook-id']));
        return payments.every(({ status }) => status === 'SETTLED') && events.size === ids.length * 4;
      });
      const before = Number(
        (await service.request('GET', '/v1/status')).headers.get('x-ratelimit-remaining'),
      );
      const after = Number((await service.request('GET', '/v1/status')).headers.get('x-ratelimit-remaining'));
      expect(before - after).to.equal(1);
      const keys = await Promise.all(
        nodes.map(async ({ url }) => (await redisCall(url, 'KEYS', '*')) as string[]),
      );
      const holdsQueues = keys.map((own) => own.some((key) => key.startsWith('{checkout-')));
      expect(holdsQueues.filter(Boolean), 'nodes with queues').to.have.length.above(1);
      expect(keys.flat().some((key) => key.startsWith('{limit}:'))).to.equal(true);
      await checkInvariants(service.harness.ctx.db);
    } finally {
      await service.close();
    }
  });

  it('a worker ends when it is closed while every node is away', async () => {
    const env = () => Promise.resolve({ REDIS_URL: nodes.map(({ url }) => url).join(',') });
    service = await startService({ name: 'redis', env, flush: () => Promise.resolve() });
    try {
      const { log, lines } = captureLog();
      const worker = await service.startWorker({ log });
      await Promise.all(nodes.map((node) => node.stop()));
      await until('its queues are down', () => lines().some(({ queue }) => queue === 'settlement'));
      await worker.close();
    } finally {
      await service.close();
    }
  });
});

async function startCluster(): Promise<RedisServer[]> {
  const nodes = await Promise.all(
    Array.from({ length: NODES }, () =>
      startRedis(['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000']),
    ),
  );
  const [first] = nodes;
  const share = Math.ceil(SLOTS / NODES);
  for (const [i, { url }] of nodes.entries()) {
    const slots = Array.from({ length: Math.min(share, SLOTS - i * share) }, (_, slot) => i * share + slot);
    await redisCall(url, 'CLUSTER', 'ADDSLOTS', ...slots.map(String));
    await redisCall(url, 'CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1));
    if (first !== undefined && i > 0)
      await redisCall(url, 'CLUSTER', 'MEET', '127.0.0.1', new URL(first.url).port);
  }
  await until('the cluster is whole', async () => {
    const states = await Promise.all(nodes.map(({ url }) => redisCall(url, 'CLUSTER', 'INFO')));
    return states.every(
      (state) => String(state).includes('cluster_state:ok') && String(state).includes(`known_nodes:${NODES}`),
    );
  });
  return nodes;
}
