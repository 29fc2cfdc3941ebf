import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { until } from './until.ts';

/** A message of the stream, field by field. */
export interface StreamMessage {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
}

/** A client that keeps a stream of server-sent events open, as a browser does, but never reconnects. */
export interface EventClient {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything received so far. */
  messages(): StreamMessage[];
  /** The updates alone: neither the stream's beginning nor heartbeats. */
  updates(): StreamMessage[];
  /** Resolves with the `count`-th update. */
  receives(count: number): Promise<StreamMessage>;
  /** True once the server has ended the stream in order. */
  isEnded(): boolean;
  /** Stops reading. */
  pause(): void;
  close(): void;
}

/** Requests the stream at `url`, and resolves when its header is there. */
export async function openEvents(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventClient> {
  const outgoing = request(url, { headers, agent: false });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  let isEnded = false;
  // A closed connection is no stream that ended in order.
  outgoing.on('error', () => undefined);
  answer
    .setEncoding('utf8')
    .on('data', (chunk: string) => (text += chunk))
    .on('end', () => (isEnded = true))
    .on('error', () => undefined);
  const messages = () => text.split('\n\n').slice(0, -1).map(toMessage);
  const updates = () => messages().filter(({ id }) => id !== undefined);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    messages,
    updates,
    async receives(count) {
      await until(`${count} updates`, () => updates().length >= count);
      return updates()[count - 1] ?? {};
    },
    isEnded: () => isEnded,
    pause: () => void answer.pause(),
    close: () => void outgoing.destroy(),
  };
}

function toMessage(block: string): StreamMessage {
  return Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
}
