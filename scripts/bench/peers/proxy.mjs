// `node proxy.mjs NEW_API_PORT`: the least that can stand between a caller and the new API. `http-proxy` passes each question
// with one fixed bearer, over kept connections.
import { Agent, createServer } from 'node:http';
import httpProxy from 'http-proxy';
import { tellPort } from './tell-port.mjs';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const target = `http://127.0.0.1:${process.argv[2]}`;
const proxy = httpProxy.createProxyServer({ target, agent, headers: { authorization: 'Bearer a0.1' } });
proxy.on('error', (error) => {
  throw error;
});
const server = createServer((request, response) => proxy.web(request, response));
server.listen(0, '127.0.0.1', () => tellPort(server));
