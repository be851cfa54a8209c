import { createServer } from 'node:http';
import express from 'express';
import { createOldRoutes } from '../../../src/demo/old-server/routes.ts';
import { withServer } from '../../doctor/support/with-server.ts';

/** The shares of a link at the old API of the demo: web pages of third parties may read them, as at the old API. */

test.each([
  ['url=x', 'application/json', '{"shares":0}'],
  ['url=x&callback=jQuery1_2', 'application/javascript', '/**/jQuery1_2({"shares":0});'],
  ['url=x&callback=a.b', 'application/javascript', '/**/a.b({"shares":0});'],
  ['url=x&callback=alert(1)', 'application/json', '{"shares":0}'],
  ['url=x&callback=a&callback=b', 'application/json', '{"shares":0}'],
])('with %s they are %s', async (query, type, text) => {
  await withServer(createServer(express().use(createOldRoutes([]))), async (url) => {
    const answer = await fetch(`${url}/1/links/shares.json?${query}`);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('content-type')).toBe(`${type};charset=UTF-8`);
    expect(await answer.text()).toBe(text);
  });
});
