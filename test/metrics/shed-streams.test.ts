import { newHexId } from '../../src/shared/ids.ts';
import { type EventStream, openEventStream } from '../owners/support/event-stream.ts';
import { browserOf, waitingToken } from '../owners/support/people.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { scrape, sumOf } from './support/scrape.ts';

/** A process that holds as many streams as it may has not failed: it sheds the next one, and calls no person. */

/** Of a process, and of a person. */
const MOST = 100;
const OF_ONE = 3;

let system: System;
let browser: CookieWalker;
const streams: EventStream[] = [];

beforeAll(async () => {
  system = await startSystem();
  browser = await browserOf(system);
});

afterAll(async () => {
  for (const stream of streams) stream.cut();
  await system.stop();
});

const answers = async (outcome: string) =>
  sumOf(await scrape(system.bridgeUrl), 'grantbridge_site_answers_total', { part: 'owners', outcome });

/** Makes the session of the browser that of somebody else, who holds a token of the app. */
async function becomeAnother(): Promise<void> {
  const accountId = newHexId();
  await waitingToken(system, { accountId });
  const { volatile } = system.bridge.context.store;
  const { content } = await volatile.selectFrom('sessions').select('content').executeTakeFirstOrThrow();
  const session = JSON.parse(content) as { person: object };
  const changed = JSON.stringify({ ...session, person: { ...session.person, accountId } });
  await volatile.updateTable('sessions').set({ content: changed }).execute();
}

async function openStream(): Promise<EventStream> {
  const url = `${system.bridgeUrl}/apps/${system.app.clientId}/live/events`;
  const stream = await openEventStream(browser, url);
  streams.push(stream);
  return stream;
}

test('one stream too many of a person is limited, and one too many of a process is shed', async () => {
  await becomeAnother();
  for (let count = 1; count <= OF_ONE; count += 1) expect((await openStream()).status).toBe(200);
  const limited = await openStream();
  expect([limited.status, limited.headers['retry-after']]).toEqual([429, '10']);
  await until(async () => (await answers('limited')) === 1);
  await becomeAnother();
  for (let count = OF_ONE + 1; count <= MOST; count += 1) {
    expect((await openStream()).status).toBe(200);
    if (count % OF_ONE === 0) await becomeAnother();
  }
  const [shed, failed] = [await answers('shed'), await answers('failed')];
  const refused = await openStream();
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '10']);
  await until(async () => (await answers('shed')) === shed + 1);
  expect(await answers('failed')).toBe(failed);
});
