import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { newLegacyToken, newOpaqueValue } from '../../../src/shared/ids.ts';
import type { VolatileTables } from '../../../src/store/tables/tables.ts';
import type { Kysely } from 'kysely';
import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { type Canary, inWords, type Needles, search, sharpen } from '../../processes/canaries/search.ts';
import { FORMS } from '../../roles/support/forms.ts';
import { type Role, type Visitor, visitorOf } from '../../roles/support/people.ts';
import { cellOf, ROWS } from '../../roles/support/role-table.ts';
import { makeScene, pathIn, type Scene } from '../../roles/support/scene.ts';
import type { Page } from '../../support/callers/cookie-walker.ts';

/** A token that somebody pastes into any field or address of a page appears in no log, address, row or page. */

/** Which of all that can be pasted is: every value everywhere in every way, or each of these in its turn. */
export type Extent = 'all' | 'in turn';

let log = '';
const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    log += chunk.toString();
    done();
  },
});

/** Not one of the few without a digit, of which some are not recognised. */
const usualSecret = () => `7${newOpaqueValue().slice(1)}`;

const SENDERS = ['nobody', 'owner', 'lead'] as const satisfies readonly Role[];

let door: Door;
let scene: Scene;
let visitors: Record<(typeof SENDERS)[number], Visitor>;
let canaries: Canary[];
let needles: Needles;

async function start(): Promise<void> {
  const env = { REMINDER_CRON: '0 0 1 1 *', LEGACY_RETIREMENT_AT: new Date(Date.now() + 1e9).toISOString() };
  door = await openDoor({ env, log: { level: 'debug', stream } });
  const people = await Promise.all(SENDERS.map((role) => visitorOf(door, role)));
  await visitorOf(door, 'holder');
  visitors = Object.fromEntries(people.map((visitor) => [visitor.role, visitor])) as typeof visitors;
  scene = await makeScene(door);
  const app = await door.addApp({ fixed: { clientSecret: usualSecret() } });
  canaries = [
    { kind: 'known token', value: scene.token },
    { kind: 'unknown token', value: newLegacyToken() },
    { kind: 'modern token', value: usualSecret() },
    { kind: 'app secret', value: app.clientSecret },
  ];
  needles = sharpen(canaries);
}

const found = (where: string, text: string) => inWords(search(needles, { where, text }));

function foundIn(page: Page, where: string): string[] {
  return [
    ...found(`the page of ${where}`, page.body),
    ...found(`the Location of ${where}`, page.location ?? ''),
  ];
}

/** What people paste around it. */
const WRAPPERS: ReadonlyArray<(value: string) => string> = [
  (value) => value,
  (value) => `The token is "${value}", please help.`,
  (value) => `https://old-app.example/cb?access_token=${encodeURIComponent(value)}`,
];

/** Entered to be read again, and as long as a token may be. */
const isId = (name: string, { value }: Canary) => name === 'modern_client_id' && !value.startsWith('1/');

/** A form once for each of its fields and canaries, in each of the wrappers there or in the next one. */
function bodiesOf(route: string, visitor: Visitor, extent: Extent): Array<Record<string, string>> {
  const fields = FORMS[route]?.({ system: door, scene, visitor }) ?? {};
  const names = Object.keys(fields).filter((name) => name !== 'new_id');
  const first = SENDERS.indexOf(visitor.role as (typeof SENDERS)[number]);
  return names.flatMap((name, place) =>
    canaries
      .filter((canary) => !isId(name, canary))
      .flatMap((canary, turn) =>
        WRAPPERS.filter((_, way) => extent === 'all' || way === (first + place + turn) % WRAPPERS.length).map(
          (wrap) => ({ ...fields, [name]: wrap(canary.value) }),
        ),
      ),
  );
}

const forms = ROWS.filter(({ route }) => route.startsWith('POST') && FORMS[route] !== undefined);

type Row = (typeof ROWS)[number];

async function pasteInto(row: Row, extent: Extent): Promise<void> {
  const path = pathIn(scene, row.route.slice('POST '.length));
  const senders = SENDERS.filter((role) => role === 'nobody' || cellOf(row, role) !== '404');
  for (const visitor of senders.map((role) => visitors[role])) {
    const sent = bodiesOf(row.route, visitor, extent).map((body) =>
      visitor.send('POST', path, { ...body, _form: visitor.formToken }),
    );
    for (const page of await Promise.all(sent)) {
      expect(page.status).not.toBe(500);
      expect(foundIn(page, `${row.route} as ${visitor.role}`)).toEqual([]);
    }
  }
}

const QUERIES = ['q', 'after', 'done', 'cause', 'days', 'since', 'return_to', 'token'];

const pages = ROWS.filter(
  ({ route }) => /^GET \/(?!assets|sign-in)/.test(route) && !route.endsWith('/events'),
);

/** Every canary in every parameter; one query with all of them, each somewhere, is enough for who is not let in. */
function queriesFor(row: Row, role: Role, extent: Extent): string[] {
  const isLetIn = /^(200|led)$/.test(cellOf(row, role) ?? '');
  return canaries.slice(extent === 'all' || isLetIn ? 0 : -1).map((_, turn) => {
    const valueAt = (place: number) => canaries[(place + turn) % canaries.length]?.value ?? '';
    return new URLSearchParams(
      Object.fromEntries(QUERIES.map((name, place) => [name, valueAt(place)])),
    ).toString();
  });
}

async function askWith(row: Row, extent: Extent): Promise<void> {
  const path = pathIn(scene, row.route.slice('GET '.length));
  for (const role of SENDERS) {
    const queries = queriesFor(row, role, extent);
    const seen = queries.map((query) => visitors[role].send('GET', `${path}?${query}`));
    for (const page of await Promise.all(seen)) expect(foundIn(page, `${row.route} as ${role}`)).toEqual([]);
  }
}

const PLACES = [
  '/apps/',
  '/apps/connect/',
  '/support/',
  '/support/mappings/',
  '/support/apps/',
  '/support/desks/',
];

async function askAt(place: string): Promise<void> {
  for (const canary of canaries) {
    const page = await visitors.lead.send('GET', place + encodeURIComponent(canary.value));
    expect([place, page.status]).toEqual([place, 404]);
    expect(foundIn(page, place)).toEqual([]);
  }
}

async function readAllThatIsKept(): Promise<void> {
  await door.bridge.untilLogged();
  expect(log).toContain('"message":"request"');
  expect(found('the log', log)).toEqual([]);
  const { durable, volatile } = door.bridge.context.store;
  const places = [durable as unknown as Kysely<VolatileTables>, volatile];
  for (const place of places)
    for (const { name } of await place.introspection.getTables()) {
      const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(place);
      expect(found(`table ${name}`, JSON.stringify(rows))).toEqual([]);
    }
}

/** Pastes into every form, query and address of the pages, and looks for it everywhere. */
export function describePasted(extent: Extent): void {
  beforeAll(start, 60_000);
  afterAll(() => door.stop());

  test.each(forms)('$route shows and keeps nothing of what was pasted', (row) => pasteInto(row, extent));

  test.each(pages)('$route shows nothing of its query', (row) => askWith(row, extent));

  test.each(PLACES)('%s with a token behind it is not known, and does not repeat it', askAt);

  test('after all of it no log line and no row of either database has any of it', readAllThatIsKept);
}
