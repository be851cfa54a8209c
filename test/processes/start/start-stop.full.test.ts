import { once } from 'node:events';
import { connect } from 'node:net';
import { tokenOf } from '../../support/callers/legacy-calls.ts';
import { buildProgram } from '../running-program.ts';
import { readProfiles, tokenFromCodePage } from '../walks.ts';
import { choosePlace, type Place, startWholeSystem } from '../whole-system.ts';

/** What `npm start` runs, killed and started again: the shortest of what the full ring shows of processes. */

let place: Place;
beforeAll(async () => {
  await buildProgram();
  place = await choosePlace();
});
afterAll(() => place.remove());

async function untilClosed(port: string): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  if (isOpen) await untilClosed(port);
}

test('a token that was issued before kill -9 is served by the next start, which SIGTERM ends with 0', async () => {
  const { PORT, MODERN_PORT, DEMO_PORT } = place.settings;
  const first = await startWholeSystem(place.settings);
  const token = tokenOf(await tokenFromCodePage(first));
  process.kill(first.pid, 'SIGKILL');
  await first.ended;
  for (const port of [PORT, MODERN_PORT, DEMO_PORT]) await untilClosed(port);

  const second = await startWholeSystem(place.settings);
  const { status, json } = await readProfiles(second, token);
  expect({ status, profiles: (json as unknown[]).length }).toEqual({ status: 200, profiles: 12 });
  expect(await second.stop()).toBe(0);
  expect(second.output()).toMatch(/Stop with Ctrl-C\.\nstopping\nstopped\n$/);
});
