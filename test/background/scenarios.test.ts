import { expect } from 'chai';
import { LIBRARY_NAMES } from '../../src/domain/sandbox/scenarios/library-names.ts';
import { EVENTS } from '../domain/sandbox/scenarios/library-lists.ts';
import { checkInvariants } from '../support/invariants.ts';
import { ENGINES } from '../support/engines.ts';
import { eventsOf, type ScenarioReport } from '../support/scenarios.ts';
import { startService, type Service } from '../support/service.ts';

for (const engine of ENGINES)
  describe(`the sandbox beside two workers with queues on ${engine.name}`, () => {
    let service: Service;
    before(async () => {
      // Blocks as long as the networks' own: the stories' lists state the times.
      service = await startService(engine, { env: { SIMULATOR_BLOCK_SECONDS: '' } });
      await Promise.all([service.startWorker(), service.startWorker()]);
    });
    after(async () => {
      try {
        await checkInvariants(service.harness.ctx.db);
      } finally {
        await service.close();
      }
    });

    const runScenario = async (body: object) => {
      const response = await service.request('POST', '/v1/sandbox/scenarios', body);
      expect(response.status, JSON.stringify(response.body)).to.equal(200);
      return response.body as ScenarioReport;
    };

    for (const story of LIBRARY_NAMES)
      it(`runs ${story} twice at once through the API, with the same events`, async () => {
        const script = { story, seed: 'a', ids: 'stable' };
        const [one, other] = await Promise.all([runScenario(script), runScenario(script)]);
        expect(eventsOf(one)).to.deep.equal(EVENTS[story]);
        expect(JSON.stringify(other)).to.equal(JSON.stringify(one));
      });

    it('leaves a payment whose clock was advanced to the workers, which continue in its own time', async () => {
      const created = await service.request('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'o' });
      const { id } = created.body as { id: string };
      const advanced = await service.request('POST', `/v1/sandbox/payments/${id}/advance`, { by: '59m' });
      expect((advanced.body as { payment: { status: string } }).payment.status).to.equal('WAITING');
      service.harness.advance(61);
      await service.passUntil('it has expired an hour after its creation, a minute from now', async () => {
        const { body } = await service.request('GET', `/v1/payment/${id}`);
        return (body as { status: string }).status === 'EXPIRED';
      });
    });
  });
