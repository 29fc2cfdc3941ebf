import {
  ConflictError,
  type PaymentCheckout,
  type Redeliver,
  type RedeliverRange,
} from '../../client/index.ts';
import { CommandError, option, UsageError, type Call, type Command } from '../command/command.ts';
import { RANGE } from './payments.ts';
import { connect } from '../settings/connect.ts';

/** Reaches a listener as well, because the service lists what was asked for. */
export const redeliver: Command = {
  name: 'webhooks redeliver',
  summary: 'Delivers an event again, to the receiver and to `listen`; or the events of a time.',
  parameters: [{ name: 'ID', isOptional: true }],
  options: [
    option('to WHOM', 'listeners: not the receiver', ['receiver', 'listeners']),
    ...RANGE,
    option('which WHICH', 'of a time; default: those that failed', ['failed', 'all']),
  ],
  example: 'webhooks redeliver evt_...',
  async run(call) {
    const { output, words, values } = call;
    const client = connect(call);
    const [id] = words;
    const from = values.text('from-date');
    if (id !== undefined && from === undefined) return redeliverOne(call, client, id);
    if (id !== undefined || from === undefined)
      throw new UsageError('name a delivery (dlv_...), an event (evt_...), or a time (--from-date)');
    const which = values.text('which') as RedeliverRange['which'];
    output.show(
      await client.deliveries.redeliverRange({ from_date: from, to_date: values.text('to-date'), which }),
    );
    return 0;
  },
};

async function redeliverOne({ output, values }: Call, client: PaymentCheckout, id: string): Promise<number> {
  const delivery = id.startsWith('evt_') ? await deliveryOf(client, id) : id;
  const asked = values.text('to') as Redeliver['to'];
  const send = async (to: Redeliver['to']) => {
    const { log: _, ...sent } = await client.deliveries.redeliver(delivery, { to });
    output.show({ ...sent, to: to === 'listeners' ? 'listeners' : 'receiver, listeners' });
    return 0;
  };
  return send(asked).catch((error: unknown) => {
    // Webhooks or the endpoint are off: a listener needs neither.
    if (!(error instanceof ConflictError) || asked !== undefined) throw error;
    output.note(`Not sent to the receiver: ${error.message}`);
    return send('listeners');
  });
}

async function deliveryOf(client: PaymentCheckout, eventId: string): Promise<string> {
  const [found] = (await client.deliveries.list({ event_id: eventId })).data;
  if (found === undefined) throw new CommandError(`${eventId} has no delivery within the last 30 days`);
  return found.id;
}
