import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests of one connection that wait for a response before theirs. A client that pipelines more gets its
 * connection closed: each that waits holds some kilobytes.
 */
const MAX_WAITING = 500;

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
export function inTurn(handle: RequestListener, onClosed: () => void = () => undefined): RequestListener {
  const queues = new WeakMap<Socket, Queue>();
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? { last: response, waiting: 0 };
    const before = queue.last;
    queue.last = response;
    queues.set(socket, queue);
    // Only a response that waits for another one has no socket.
    if (response.socket !== null || before === response) return handle(request, response);
    queue.waiting += 1;
    if (queue.waiting > MAX_WAITING) {
      onClosed();
      return void socket.destroy();
    }
    before.once('close', () => {
      queue.waiting -= 1;
      // The response before it was the connection's last one, or the client has left.
      if (response.socket !== null && !socket.destroyed) handle(request, response);
    });
  };
}
