import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createOldRoutes } from '../../../src/demo/old-server/routes.ts';

/** The shares of a link at the old API of the demo: web pages of third parties may read them, as at the old API. */

let server: Server;

beforeAll(async () => {
  server = createServer(express().use(createOldRoutes([])));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => server.close());

test.each([
  ['url=x', 'application/json', '{"shares":0}'],
  ['url=x&callback=jQuery1_2', 'application/javascript', '/**/jQuery1_2({"shares":0});'],
  ['url=x&callback=a.b', 'application/javascript', '/**/a.b({"shares":0});'],
  ['url=x&callback=alert(1)', 'application/json', '{"shares":0}'],
  ['url=x&callback=a&callback=b', 'application/json', '{"shares":0}'],
])('with %s they are %s', async (query, type, text) => {
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/1/links/shares.json?${query}`);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('content-type')).toBe(`${type};charset=UTF-8`);
  expect(await answer.text()).toBe(text);
});
