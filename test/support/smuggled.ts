import { connect } from 'node:tls';
import { TEST_AUTHORITY } from './certificates.ts';

export const ORDER = { pay_amount: '10.50', order_id: 'order-1' };

/** A request that creates a payment, with the bytes of its body. */
export function requestOf(key: string): string {
  const body = JSON.stringify(ORDER);
  return [
    'POST /v1/payment HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** The hidden request where two readers of one message may disagree about its end. */
export function smuggled(hidden: string): Record<string, string> {
  const begin = (...headers: string[]) =>
    ['POST /v1/status HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n');
  const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const length = `Content-Length: ${hidden.length + 5}`;
  const ended = `0\r\n\r\n${hidden}`;
  return {
    'length and chunks': begin(length, 'Transfer-Encoding: chunked') + ended,
    'chunks and a short length': begin('Content-Length: 4', 'Transfer-Encoding: chunked') + chunk,
    'an unknown coding': begin(length, 'Transfer-Encoding: xchunked') + ended,
    'a blank before the colon': begin(length, 'Transfer-Encoding : chunked') + ended,
    'a vertical tab before the coding': begin(length, 'Transfer-Encoding: \u000bchunked') + ended,
    'two codings': begin('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + ended,
    'two lengths': begin('Content-Length: 0', `Content-Length: ${hidden.length}`) + hidden,
    'a length with a sign': begin(`Content-Length: +${hidden.length}`) + hidden,
    'a list of lengths': begin(`Content-Length: 0, ${hidden.length}`) + hidden,
    'a body of a request that has none':
      begin(`Content-Length: ${hidden.length}`).replace('POST', 'GET') + hidden,
    'a header behind a bare carriage return': begin('X: a\rContent-Length: 0') + hidden,
  };
}

/** Sends bytes as they are; returns what comes until the connection ends, or no more comes for 2 s. */
export function sendRaw(port: number, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = '';
    const options = { port, host: '127.0.0.1', servername: 'localhost', ca: TEST_AUTHORITY };
    const socket = connect({ ...options, ALPNProtocols: ['http/1.1'] }, () => socket.write(sent, 'latin1'));
    socket.setEncoding('latin1').on('data', (part: string) => {
      got += part;
      socket.setTimeout(2_000, () => socket.destroy());
    });
    // Behind an answer the rest of what was sent may be refused by a reset.
    socket.once('error', (error: Error) => {
      if (got === '') reject(error);
    });
    socket.once('close', () => resolve(got));
  });
}
