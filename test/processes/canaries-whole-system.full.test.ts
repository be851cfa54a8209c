import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { expireGrants } from '../support/bridge/expire-grants.ts';
import { tokenOf } from '../support/callers/legacy-calls.ts';
import { createCollection } from './canaries/collection.ts';
import { commandLinesOf, filesBelow } from './canaries/kept.ts';
import { inWords, type Place, search, sharpen } from './canaries/search.ts';
import { canReadProcesses } from './start/process-list.ts';
import { buildProgram, runCommand } from './running-program.ts';
import { connectDemo, readProfiles, tokenFromCodePage } from './walks.ts';
import { choosePlace, startWholeSystem } from './whole-system.ts';

/**
 * Redaction: the three processes of `npm start` together, whose keys and clients are of their own making. The
 * demo's printed values are public and no canaries; the embedded modern generation's own files keep their own rules.
 */

beforeAll(() => buildProgram(), 120_000);

test('keys, client secret, tokens and cookies stand in no output, command line or file of the whole system', async () => {
  const place = await choosePlace();
  const settings = { ...place.settings, LOG_LEVEL: 'debug' };
  const system = await startWholeSystem(settings);
  const collection = createCollection();
  const browser = new CookieWalker();
  await connectDemo(system, browser);
  await connectDemo(system, new CookieWalker(), 'consent');
  const token = tokenOf(await tokenFromCodePage(system));
  // The pair is a refreshed one then, and the first pair was used.
  expireGrants(join(place.varDir, 'bridge.db'));
  expect((await readProfiles(system, token)).status).toBe(200);
  const added = await runCommand(
    settings,
    'apps add --name A --callback https://a.example/ --owner a@a.example'.split(' '),
  );
  const read = (name: string) => readFileSync(join(place.varDir, name), 'utf8');
  for (const [, secret] of read('keys.json').matchAll(/"secret": "([^"]+)"/g)) collection.add('key', secret);
  const client = JSON.parse(read('modern-client.json')) as Record<'clientSecret', string>;
  collection.add('modern client secret', client.clientSecret);
  collection.add('legacy token', token);
  collection.add('app secret', added['client_secret']);
  collection.add('owner token', added['owner_token']);
  for (const { value } of browser.received) collection.add('browser cookie', value.length > 20 ? value : '');
  expect([collection.count('key') >= 4, collection.count('browser cookie') >= 3]).toEqual([true, true]);

  const places: Place[] = canReadProcesses ? commandLinesOf(system.pid) : [];
  places.push(...filesBelow(place.varDir));
  expect(await system.stop()).toBe(0);
  places.push(...filesBelow(place.varDir), { where: 'standard output', text: system.welcome });
  places.push({ where: 'standard error', text: system.complaints() });
  place.remove();
  expect(places.filter(({ where }) => where.startsWith('the command line'))).toHaveLength(
    canReadProcesses ? 3 : 0,
  );
  expect(system.complaints()).toContain('"process":"modern"');
  const needles = sharpen(collection.all());
  expect(inWords(places.flatMap((one) => search(needles, one)))).toEqual([]);
});
