import type { ServerResponse } from 'node:http';

/**
 * So much may wait in this process for a client that does not read, beyond what the kernel takes for it (megabytes, where an event is
 * some 300 bytes): who is that far behind is gone, or means harm. He is cut off, and told everything when he comes back.
 */
const MAX_UNREAD_BYTES = 16_384;

/** Begins a stream of server-sent events: one that is cut is asked for again after `retryMs`. */
export function beginEvents(response: ServerResponse, retryMs: number): void {
  // nginx, and what follows its ways, would keep events back until there are enough of them to be worth sending.
  response.setHeader('X-Accel-Buffering', 'no');
  response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  response.writeHead(200);
  write(response, `retry: ${Math.round(retryMs)}\n\n`);
}

/** An event as it goes over the wire. `id` is what the client names as Last-Event-ID when it comes back; `data` has no line break. */
export function eventText(id: string, data: string): string {
  return `id: ${id}\ndata: ${data}\n\n`;
}

/**
 * A sign of life, which proxies and clients can see: some cut, or hold to be dead, what is silent. An event, because a page is not shown
 * comments, and a stream that a proxy swallows looks like one without news.
 */
export const HEARTBEAT = 'event: beat\ndata: 1\n\n';

/** Writes part of a stream, or cuts the stream off whose client does not read. */
export function write(response: ServerResponse, text: string): void {
  if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  else response.write(text);
}

/** Ends a stream in order; one with more than `unreadBytes` on their way to a client that does not read is cut off: it would not end. */
export function endEvents(response: ServerResponse, unreadBytes: number = MAX_UNREAD_BYTES): void {
  if (response.writableLength > unreadBytes) response.destroy();
  else response.end();
}
