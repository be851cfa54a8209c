import { Validator } from '@seriousme/openapi-schema-validator';
import { OLD_CALL_NAMES, OLD_CALLS } from '../../src/domain/old-calls/old-calls.ts';
import { createBridgeApp } from '../../src/http/app.ts';
import { OPERATIONS } from '../../src/http/staff-api/operations/operations.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { routesOf } from '../roles/support/routes.ts';
import { sendRaw } from '../support/callers/raw-request.ts';

/** The OpenAPI document: valid, served to everybody, and complete. */

let door: Door;
let document: {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string }>>;
  components: { schemas: object };
};

beforeAll(async () => {
  door = await openDoor();
  const answer = await sendRaw(door.bridgeUrl, { path: '/api/v1/openapi.json' });
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  document = answer.json as typeof document;
});
afterAll(() => door.stop());

test('it is a valid document of OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(document);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toBe('3.1.0');
});

test('it has every route of the API, and no other', () => {
  const { context } = door.bridge;
  const { app } = createBridgeApp({ context, rateLimitPerMinute: 0, trustProxy: [], logRequests: 'off' });
  const served = routesOf(app).filter((route) => /^(?:GET|POST) \/api\/v1\//.test(route));
  const own = ['GET /api/v1/openapi.json', 'GET /api/v1/problems/:name'];
  const described = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
  expect(described.toSorted()).toEqual(served.filter((route) => !own.includes(route)).toSorted());
});

test('it has every old call and the exchange', () => {
  const paths = OLD_CALL_NAMES.flatMap((name) => OLD_CALLS[name].paths);
  const missing = paths.filter((path) => !(`${path.replaceAll(/:(\w+)/g, '{$1}')}.json` in document.paths));
  expect(missing).toEqual([]);
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(['/oauth2/authorize', '/1/oauth2/token.json', '/oauth2/exchange']),
  );
});

test('every operation has a name of its own', () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((one) => one.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(OPERATIONS.length);
});

test('its answers may get further fields, and its requests may not', () => {
  const isClosed = /"additionalProperties":false/;
  expect(JSON.stringify(document.components.schemas)).not.toMatch(isClosed);
  expect(JSON.stringify(document.paths)).toMatch(isClosed);
});
