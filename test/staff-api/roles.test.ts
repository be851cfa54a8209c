import type { StaffRole } from '../../src/domain/accounts/staff.ts';
import { OPERATIONS } from '../../src/http/staff-api/operations/operations.ts';
import { rowsOf } from '../roles/support/rows.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { ask, keyFor, problemIn } from './support/api-client.ts';
import { type ApiGround, openGround } from './support/ground.ts';
import { GOOD_REQUESTS } from './support/requests.ts';

/** Every operation × every role: what a good request of a key with this role meets. */

const TABLE = `
#                         reader agent lead
readOwnKey                200    200   200
search                    200    200   200
readToken                 200    200   200
listTokenHistory          200    200   200
listApps                  200    200   200
readApp                   200    200   200
listAppTokens             200    200   200
listAppHistory            200    200   200
readAccount               200    200   200
listAccountTokens         200    200   200
readRequest               200    200   200
countDesks                200    200   200
listGrantsInDoubt         200    200   200
listUndeliverableMails    200    200   200
listPeopleWithoutAccount  200    200   200
listOpenHandovers         200    200   200
listWaitingApps           200    200   200
listEndingExtensions      200    200   200
listUnprovenTokens        200    200   200
listEndedConnections      200    200   200
readNumbers               200    200   200
listNumbersByApp          200    200   200
listForecasts             200    200   200
listChecks                200    200   200
readShadow                200    200   200
listDates                 200    200   200
listBrownouts             200    200   200
listHandovers             200    200   200
followHistory             200    200   200
listJobs                  200    200   200
readJob                   200    200   200
listJobItems              403    200   200
assignTokens              403    200   200
makeLinks                 403    200   200
stopJob                   403    200   200
takeJobBack               403    200   200
extendApps                403    403   200
revokeToken               403    200   200
makeLink                  403    200   200
remindOfToken             403    200   200
probeToken                403    200   200
assignToken               403    200   200
reportLeakedTokens        403    200   200
takeEntryBack             403    200   200
settleMail                403    200   200
planReminders             200    200   200
clearShadow               403    403   200
importRows                403    403   200
pinToken                  403    403   200
addApp                    403    403   200
addAppSecret              403    403   200
retireAppSecret           403    403   200
extendApp                 403    403   200
unextendApp               403    403   200
exemptApp                 403    403   200
unexemptApp               403    403   200
addBrownout               403    403   200
removeBrownout            403    403   200
setDate                   403    403   200
cutOverApp                403    403   200
resumeReminders           403    403   200
`;

const ROLES: readonly StaffRole[] = ['reader', 'agent', 'lead'];

const ROWS = TABLE.split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map((line) => line.trim().split(/\s+/))
  .map(([id = '', ...cells]) => ({ id, cells }));

const byId = new Map(OPERATIONS.map((one) => [one.id, one]));

test('the table has a row for every operation, and each has a good request', () => {
  const ids = OPERATIONS.map(({ id }) => id).toSorted();
  expect(ROWS.map(({ id }) => id).toSorted()).toEqual(ids);
  expect(Object.keys(GOOD_REQUESTS).toSorted()).toEqual(ids);
});

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let keys: Record<string, { key: string; id: string }>;

  beforeAll(async () => {
    ground = await openGround(kind);
    const made = await Promise.all(ROLES.map(async (role) => [role, await keyFor(ground, role)] as const));
    keys = Object.fromEntries(made);
  });
  afterAll(() => ground.stop());

  async function send(id: string, role: StaffRole) {
    const { path, body } = (await GOOD_REQUESTS[id]?.(ground)) ?? { path: '' };
    const before = await rowsOf(ground);
    const method = byId.get(id)?.method.toUpperCase() ?? '';
    const answer = await ask(ground, [method, path], { key: keys[role]?.key, body });
    const after = await rowsOf(ground);
    const changed = Object.keys(after).filter(
      (table) => after[table] !== before[table] && table !== 'api_keys',
    );
    return { answer, changed };
  }

  test.each(ROWS)('row K4 $id', async ({ id, cells }) => {
    for (const [place, role] of ROLES.entries()) {
      const { answer, changed } = await send(id, role);
      expect(`${role} ${answer.status} ${answer.status < 400 ? '' : answer.text}`).toBe(
        `${role} ${cells[place]} ${answer.status < 400 ? '' : answer.text}`,
      );
      if (answer.status === 403) expect([problemIn(answer), changed]).toEqual(['403 role-too-low', []]);
      const isWrite = byId.get(id)?.isWrite === true;
      if (answer.status === 200)
        expect({ role, hasChanged: changed.length > 0 }).toEqual({
          role,
          hasChanged: isWrite || id === 'search',
        });
    }
  });

  test('every change stands in the history with the key that made it', async () => {
    const writes = OPERATIONS.filter(({ isWrite }) => isWrite).map(({ id }) => id);
    const actor = `key:${keys['lead']?.id}`;
    const without: string[] = [];
    for (const id of writes) {
      const { answer } = await send(id, 'lead');
      expect(answer.status).toBe(200);
      const requestId = String(answer.headers['x-request-id']);
      const entries = await ground.bridge.context.store.durable
        .selectFrom('events')
        .select(['actor', 'request_id'])
        .where('actor', '=', actor)
        .orderBy('id', 'desc')
        .limit(30)
        .execute();
      if (!entries.some((entry) => entry.request_id === requestId)) without.push(id);
    }
    expect(without).toEqual([]);
  });
});
