import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Whether a port answers to a plain PING, sent without a password; false after `withinMs`. */
export async function speaksRedis(host: string, port: number, withinMs: number): Promise<boolean> {
  return hears(connect({ host, port, timeout: withinMs }), (socket, found) => {
    socket.once('connect', () => socket.write('PING\r\n'));
    // A reply or an error, for example that a password is asked for.
    socket.once('data', (data: Buffer) => found(/^[+-]/.test(data.toString('latin1'))));
  });
}

/** Whether a port completes a TLS handshake, with any certificate; false after `withinMs`. */
export async function speaksTls(host: string, port: number, withinMs: number): Promise<boolean> {
  // Nothing is sent or believed: the connection ends with the handshake.
  const socket = connectTls({ host, port, timeout: withinMs, rejectUnauthorized: false });
  return hears(socket, (_, found) => socket.once('secureConnect', () => found(true)));
}

async function hears<T extends Socket>(
  socket: T,
  listen: (socket: T, found: (is: boolean) => void) => unknown,
): Promise<boolean> {
  try {
    return await new Promise((resolve) => {
      listen(socket, resolve);
      for (const event of ['error', 'timeout', 'close'] as const) socket.on(event, () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
