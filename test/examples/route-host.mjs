// Serves a route handler as Next.js does: each request becomes a web-standard Request, each Response is written back.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { POST } from './route.mjs';

const server = createServer((incoming, outgoing) => {
  // A sender that disconnects inside its body rejects.
  serve(incoming, outgoing).catch(() => outgoing.destroy());
});

async function serve(incoming, outgoing) {
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
    values.map((value) => [name, value]),
  );
  const body = Readable.toWeb(incoming);
  const url = new URL(incoming.url, 'http://localhost');
  const response = await POST(new Request(url, { method: 'POST', headers, body, duplex: 'half' }));
  outgoing.writeHead(response.status).end();
}

server.listen(Number(process.env.PORT), () => {
  console.log(`listening on port ${server.address().port}`);
});
