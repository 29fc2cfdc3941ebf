import type { ServerResponse } from 'node:http';

/**
 * Bytes that may wait in this process for one client, beyond the megabytes that the kernel buffers; an event
 * is some 300 bytes. A client this far behind is gone or hostile: its stream is closed, and it gets the
 * current version when it comes back.
 */
const MAX_UNREAD_BYTES = 16_384;

/** Begins a stream of server-sent events: clients reconnect `retryMs` after it ends. */
export function beginEvents(response: ServerResponse, retryMs: number): void {
  // nginx, and proxies that follow its conventions, otherwise buffer events.
  response.setHeader('X-Accel-Buffering', 'no');
  response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  response.writeHead(200);
  write(response, `retry: ${Math.round(retryMs)}\n\n`);
}

/**
 * An event on the wire. The client sends `id` as Last-Event-ID when it reconnects; `data` has no line break.
 */
export function eventText(id: string, data: string): string {
  return `id: ${id}\ndata: ${data}\n\n`;
}

/**
 * A sign of life: proxies and clients close silent connections. It is an event because a page's script never
 * sees comments, and could not distinguish a stream that a proxy buffers from one without changes.
 */
export const HEARTBEAT = 'event: beat\ndata: 1\n\n';

/**
 * Writes to a stream, or closes it when its client does not read. A stream that was ended stays open until
 * its client has read the rest: a write would be an error that nothing handles.
 */
export function write(response: ServerResponse, text: string): void {
  if (response.writableEnded) return;
  if (response.writableLength > MAX_UNREAD_BYTES) cut(response);
  else response.write(text);
}

/**
 * Ends a stream in order. One with more than `unreadBytes` waiting for a client that does not read is closed:
 * it would never end.
 */
export function endEvents(response: ServerResponse, unreadBytes: number = MAX_UNREAD_BYTES): void {
  if (response.writableLength > unreadBytes) cut(response);
  else if (!response.writableEnded) response.end();
}

/** A response that waits for the one before it has no connection of its own to destroy. */
function cut(response: ServerResponse): void {
  response.req.socket.destroy();
}
