import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests of one connection that wait for a response before theirs. A client that pipelines more gets its
 * connection closed: each that waits holds some kilobytes.
 */
const MAX_WAITING = 500;

export interface Watch {
  /** A request is about to be handled. */
  readonly onTurn?: ((response: ServerResponse) => void) | undefined;
  /** A connection was closed because too many of its requests wait. */
  readonly onClosed?: () => void;
  /** A request was not handled because its client has left. */
  readonly onLeft?: () => void;
}

/** The end of a connection's queue. */
interface Queue {
  last: ServerResponse;
  waiting: number;
}

/**
 * Handles the requests of a connection one after the other, each once the response before it is sent. Node
 * passes on all pipelined requests at once, so that one connection could take the whole pool, keep the
 * responses to requests behind a response that it does not read in this process's memory, and hold event
 * streams that never begin and never get a 'close' event. A request whose connection has closed meanwhile is
 * not handled.
 */
export function inTurn(handler: RequestListener, { onTurn, onClosed, onLeft }: Watch = {}): RequestListener {
  const handle: RequestListener = (request, response) => {
    onTurn?.(response);
    handler(request, response);
  };
  const queues = new WeakMap<Socket, Queue>();
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? { last: response, waiting: 0 };
    const before = queue.last;
    queue.last = response;
    queues.set(socket, queue);
    // Only a response that waits for another one has no socket.
    if (response.socket !== null || before === response) {
      ifStillThere(socket, () => handle(request, response), onLeft);
      return;
    }
    queue.waiting += 1;
    if (queue.waiting > MAX_WAITING) {
      onClosed?.();
      socket.destroy();
      return;
    }
    before.once('close', () => {
      queue.waiting -= 1;
      // The response before it was the connection's last one, or the client has left.
      if (response.socket !== null && !socket.destroyed) handle(request, response);
    });
  };
}

/**
 * Calls `handle` unless the client has closed the connection. A process that was frozen, or a machine that
 * slept, finds hundreds of requests whose clients have given up; each would take its time before the requests
 * that somebody waits for (measured: 500 of them, up to 8 s). The end of a connection is read one turn of the
 * event loop after its last bytes, at the earliest, so this waits for the end of the next turn.
 */
function ifStillThere(socket: Socket, handle: () => void, onLeft?: () => void): void {
  setImmediate(() => {
    setImmediate(() => {
      if (socket.writable) {
        handle();
        return;
      }
      onLeft?.();
      // A client may have closed its half alone: without a response nothing else would end the connection.
      socket.destroy();
    });
  });
}
