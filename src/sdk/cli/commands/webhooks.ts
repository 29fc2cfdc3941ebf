import type {
  Delivery,
  DeliveryList,
  DeliveryWithAttempts,
  ExamineReceiver,
  ListDeliveries,
  ReceiverCheck,
  RotateSecret,
} from '../../client/index.ts';
import { EVENT_TYPES } from '../../index.ts';
import { option, type Command } from '../command/command.ts';
import { LIMIT, RANGE } from './payments.ts';
import { request } from './request.ts';

const STATUSES: readonly Delivery['status'][] = ['pending', 'delivered', 'failed'];

export const webhooks: readonly Command[] = [
  request<ListDeliveries, DeliveryList | DeliveryWithAttempts>({
    name: 'webhooks deliveries',
    summary: 'Lists deliveries, newest event first, or shows one with every attempt.',
    parameters: [{ name: 'ID', isOptional: true }],
    options: [
      option('status STATUS', 'one or more, with commas', STATUSES),
      option('type TYPE', 'one or more, with commas', EVENT_TYPES),
      option('payment-id ID', 'those of this payment'),
      option('event-id ID', 'that of this event'),
      ...RANGE,
      LIMIT,
    ],
    example: 'webhooks deliveries --status failed,pending',
    send: (client, id, query) => (id === '' ? client.deliveries.list(query) : client.deliveries.get(id)),
  }),
  request({
    name: 'webhooks examine',
    summary: 'Checks a receiver with what receivers get wrong. Exit code 1 when it fails a case.',
    options: [option('url URL', 'the receiver; default: the webhookUrl')],
    example: 'webhooks examine',
    isBad: ({ passed }: ReceiverCheck) => !passed,
    send: (client, _, body: ExamineReceiver) => client.webhooks.examine(body),
  }),
  request({
    name: 'webhooks rotate',
    summary: 'Puts a new secret in force, and shows it.',
    options: [option('overlap-hours N', 'how long the old one signs too, 0 to 168; default 24')],
    example: 'webhooks rotate --overlap-hours 48',
    send: (client, _, body: RotateSecret) => client.webhooks.rotateSecret(body),
  }),
];
