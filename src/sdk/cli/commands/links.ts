import type { UpdateLink } from '../../client/index.ts';
import { option, type Command } from '../command/command.ts';
import { request } from './request.ts';

export const links: readonly Command[] = [
  request({
    name: 'links edit',
    summary: 'Changes what is named of a payment link.',
    parameters: [{ name: 'ID' }],
    options: [
      option('title TEXT', 'what the page is about'),
      option('stock-change N', 'adds so many; =-5 takes five away'),
      option('expires-at TIME', 'ISO 8601'),
      option('pause', 'it takes no payment'),
      option('resume', 'it does again'),
    ],
    example: 'links edit lnk_... --stock-change 20',
    send: (client, id, { pause, resume, ...body }: UpdateLink & { pause?: true; resume?: true }) =>
      client.links.update(id, {
        ...body,
        ...(pause === true || resume === true ? { is_active: resume === true } : {}),
      }),
  }),
];
