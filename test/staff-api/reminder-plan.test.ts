import { contextAt, previewReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { rowsOf } from '../roles/support/rows.ts';
import { keyFor, type Program, problemIn, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, underAddress, waitingIn } from './support/ground.ts';

/** GET /reminders/plan tells, page by page, what the command tells at once. */

interface PlanJson {
  at: string;
  is_sending: boolean;
  people: Array<{ person: string; due: Array<{ stage: string }> }>;
  next_cursor: string | null;
}

const PEOPLE = 450;

describe.each(databaseKinds)('on %s', (kind) => {
  let ground: ApiGround;
  let program: Program;

  beforeAll(async () => {
    ground = await openGround(kind);
    program = programOf(ground, (await keyFor(ground, 'reader')).key);
    const { clientId } = ground.app;
    for (let i = 0; i < PEOPLE; i += 1)
      await addWaitingToken(ground.bridge, { clientId, accountId: newHexId(), source: 'imported' });
    await waitingIn(ground);
    await underAddress(ground);
  });
  afterAll(() => ground.stop());

  async function everybody(query: string): Promise<PlanJson['people']> {
    const people: PlanJson['people'] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await program.get(`/reminders/plan?${query}${cursor && `&cursor=${cursor}`}`);
      expect(page.status).toBe(200);
      const told = page.json as PlanJson;
      people.push(...told.people);
      cursor = told.next_cursor;
    }
    return people;
  }

  test('all pages together have the people of the command, in its order, and nothing is changed', async () => {
    const wanted: string[] = [];
    for await (const { person } of previewReminders(ground.bridge.context)) wanted.push(person.id);
    const { api_keys: _1, ...before } = await rowsOf(ground);
    const told = (await everybody('')).map(({ person }) => person);
    const { api_keys: _2, ...after } = await rowsOf(ground);
    expect(told).toEqual(wanted);
    expect(after).toEqual(before);
  });

  test('on another day all pages together have the people of that day', async () => {
    const at = Date.now() + 53 * DAY;
    const wanted: string[] = [];
    for await (const { person } of previewReminders(contextAt(ground.bridge.context, at)))
      wanted.push(person.id);
    const on = `on=${new Date(at).toISOString()}`;
    const then = (await everybody(on)).map(({ person }) => person);
    expect(then).toEqual(wanted);
    expect(then.length).toBeGreaterThan(PEOPLE);
    const first = (await program.get(`/reminders/plan?${on}`)).json as PlanJson;
    expect(Date.parse(first.at)).toBe(at);
    expect(first.people.length).toBeLessThan(then.length);
  });

  test('a cursor of another kind is refused', async () => {
    for (const cursor of ['x', Buffer.from('token:1').toString('base64url')])
      expect(problemIn(await program.get(`/reminders/plan?cursor=${cursor}`))).toBe('422 invalid-request');
  });
});
