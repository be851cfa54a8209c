import type { System } from '../support/bridge/system.ts';
import { freshDatabase } from '../support/database/database.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { startSystemWithOwnClient } from '../exchange/support/own-client.ts';
import { generateClient, type GeneratedClient } from './client/generated-client.ts';
import { oldValues, OTHER_STATUS } from './client/old-values.ts';
import {
  type CallValues,
  callsOf,
  type DocumentedCall,
  type DocumentedPaths,
  nameInClient,
  programOf,
} from './client/program-text.ts';
import { staffValues } from './client/staff-values.ts';
import { keyFor } from './support/api-client.ts';
import { type ApiGround, openGround } from './support/ground.ts';

/** A client that is generated from the served OpenAPI document runs every operation. */

interface Told {
  status: number;
  data?: unknown;
}

const isStaffCall = ({ path }: DocumentedCall) => path.startsWith('/api/');

async function callsAt(bridgeUrl: string): Promise<DocumentedCall[]> {
  const answer = await fetch(`${bridgeUrl}/api/v1/openapi.json`);
  return callsOf(((await answer.json()) as { paths: DocumentedPaths }).paths);
}

/** Checks and runs a program, and gives the answer to each operation. */
async function answersOf(client: GeneratedClient, program: string): Promise<Record<string, Told>> {
  expect(await client.check(program)).toBe('');
  return (await client.run()) as Record<string, Told>;
}

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let client: GeneratedClient;
  let calls: DocumentedCall[];
  let authorization: string;

  beforeAll(async () => {
    ground = await openGround(kind);
    client = await generateClient(ground.bridgeUrl);
    calls = await callsAt(ground.bridgeUrl);
    authorization = `Bearer ${(await keyFor(ground, 'lead')).key}`;
  });
  afterAll(async () => {
    client.remove();
    await ground.stop();
  });

  test('the client has a function for every operation', () => {
    const names = calls.map(({ operationId }) => nameInClient(operationId));
    expect(client.operations.toSorted()).toEqual(names.toSorted());
  });

  test('every operation of the staff API is done by the client', async () => {
    const staffCalls = calls.filter(isStaffCall);
    const pairs: Array<[DocumentedCall, CallValues]> = [];
    for (const call of staffCalls) pairs.push([call, await staffValues(ground, call, authorization)]);
    const told = await answersOf(client, programOf(pairs));
    for (const { operationId } of staffCalls)
      expect({ operationId, ...told[operationId] }).toMatchObject({ operationId, status: 200 });
  });

  test('the types of the client tell a wrong request and a wrong answer', async () => {
    const wrong = [
      `client.revokeToken({ tokenId: 'x', body: {} });`,
      `client.extendApp({ clientId: 'x', body: { date: 'tomorrow', until: '2027-02-01', reason: 'r' } });`,
      `const found = await client.listApps({}); if (found.status === 200) found.data.nothing;`,
    ];
    for (const line of wrong)
      expect(await client.check(`import * as client from './client.ts';\n${line}\n`)).toMatch(/error TS\d+/);
  });
});

describe.each(databaseKinds)('the old API on %s', (kind) => {
  let system: System;
  let client: GeneratedClient;
  let drop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    const database = kind === 'postgres' ? await freshDatabase() : undefined;
    drop = database && (() => database.drop());
    system = await startSystemWithOwnClient({
      env: { LEGACY_RATE_LIMIT: '0', ...(database && { DATABASE_URL: database.url }) },
    });
    client = await generateClient(system.bridgeUrl);
  });
  afterAll(async () => {
    client.remove();
    await system.stop();
    await drop?.();
  });

  test('every address of the old API and of the exchange is called by the client', async () => {
    const calls = (await callsAt(system.bridgeUrl)).filter((call) => !isStaffCall(call));
    const values = await oldValues(system);
    const unknown = calls
      .filter(({ operationId }) => !values[operationId])
      .map(({ operationId }) => operationId);
    expect(unknown).toEqual([]);
    const pairs = calls.map((call): [DocumentedCall, CallValues] => [call, values[call.operationId]!]);
    const told = await answersOf(client, programOf(pairs));
    for (const { operationId } of calls) {
      const { status, data } = told[operationId] ?? {};
      const wanted = { operationId, status: OTHER_STATUS[operationId] ?? 200 };
      expect({ operationId, status, data }).toEqual({ ...wanted, data });
    }
  });
});
