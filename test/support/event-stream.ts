import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { until } from './until.ts';

/** A message as it came over the wire, field by field. */
export interface StreamMessage {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
}

/** A client that holds a stream of server-sent events open, as a browser does but without coming back. */
export interface EventClient {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything that came so far. */
  messages(): StreamMessage[];
  /** The news alone: neither the beginning nor a sign of life. */
  news(): StreamMessage[];
  /** Resolves when so many pieces of news have come; answers the last of them. */
  hears(count: number): Promise<StreamMessage>;
  /** True once the server has ended the stream in order. */
  isEnded(): boolean;
  /** Stops taking in what comes. */
  pause(): void;
  close(): void;
}

/** Asks for the stream at `url`, and resolves when its header is there. */
export async function openEvents(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventClient> {
  const outgoing = request(url, { headers, agent: false });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  let isEnded = false;
  // Cut off, it is not ended in order.
  outgoing.on('error', () => undefined);
  answer
    .setEncoding('utf8')
    .on('data', (chunk: string) => (text += chunk))
    .on('end', () => (isEnded = true))
    .on('error', () => undefined);
  const messages = () => text.split('\n\n').slice(0, -1).map(toMessage);
  const news = () => messages().filter(({ id }) => id !== undefined);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    messages,
    news,
    async hears(count) {
      await until(`${count} pieces of news`, () => news().length >= count);
      return news()[count - 1] ?? {};
    },
    isEnded: () => isEnded,
    pause: () => void answer.pause(),
    close: () => void outgoing.destroy(),
  };
}

function toMessage(block: string): StreamMessage {
  return Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
}
