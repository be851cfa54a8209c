import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/**
 * Express gives a request and its answer other prototypes, and V8 then learns nothing from one request for the next. The classes
 * of the bridge have these prototypes from the beginning (src/http/message-classes.ts).
 */

/** Node tells there of each request of each server of this process, before anybody begins it. */
const BEGINNING = 'http.server.request.start';

let system: System;
let token: string;

beforeAll(async () => {
  system = await startSystem();
  token = await issueToken(system);
});

afterAll(() => system.stop());

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

const prototypesOf = ({ request, response }: Exchange): unknown[] =>
  [request, response].map((one) => Object.getPrototypeOf(one) as unknown);

/** The prototypes of a request to the running bridge and of its answer, in the beginning and at the end. */
async function prototypesAround(target: string, init: RequestInit): Promise<unknown[][]> {
  const seen: unknown[][] = [];
  const look = (message: unknown) => {
    const exchange = message as Exchange;
    if (exchange.request.url !== target) return;
    seen.push(prototypesOf(exchange));
    exchange.response.once('finish', () => seen.push(prototypesOf(exchange)));
  };
  subscribe(BEGINNING, look);
  try {
    await (await fetch(`${system.bridge.url}${target}`, init)).text();
    while (seen.length < 2) await delay(5);
    return seen;
  } finally {
    unsubscribe(BEGINNING, look);
  }
}

test.each([
  ['GET', '/health'],
  ['GET', '/'],
  ['GET', '/1/user.json'],
  ['GET', '/1/profiles.json'],
  ['POST', '/1/updates/create.json'],
])('%s %s keeps the prototypes of its request and answer', async (method, path) => {
  const headers = { Authorization: `Bearer ${token}` };
  const [made, answered] = await prototypesAround(`${path}?seen=1`, { method, headers });
  expect(answered).toHaveLength(2);
  for (const usual of [IncomingMessage.prototype, ServerResponse.prototype])
    expect(made).not.toContain(usual);
  expect(answered?.map((one, index) => one === made?.[index])).toEqual([true, true]);
});
