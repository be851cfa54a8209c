// The bridge's peer (a): the least that Node can do. `node:http`, one look-up, a constant body.
import { createServer } from 'node:http';
import { body, isKnown, tokenInHead } from './answer.mjs';
import { tellPort } from './tell-port.mjs';

const length = Buffer.byteLength(body);

function send(response, token) {
  if (!isKnown(token)) return response.writeHead(401).end();
  response.writeHead(200, { 'Content-Type': 'application/json;charset=UTF-8', 'Content-Length': length });
  response.end(body);
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    send(response, tokenInHead(request.headers.authorization, request.url));
    return;
  }
  let form = '';
  request.setEncoding('utf8');
  request.on('data', (part) => (form += part));
  request.on('end', () => send(response, new URLSearchParams(form).get('access_token') ?? undefined));
});
server.listen(0, '127.0.0.1', () => tellPort(server));
