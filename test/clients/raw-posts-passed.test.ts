import { newHexId } from '../../src/shared/ids.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { type RawRequest, sendRaw } from '../support/callers/raw-request.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { type OldProgram, PROGRAMS } from './support/old-programs.ts';

/** While a token waits for its connection, the old API gets the posts of every old program byte for byte. */

const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };
let old: OldBackend;
let system: System;
let token: string;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [account] });
  system = await startSystem({ env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  ({ token } = await addWaitingToken(system.bridge, { clientId: system.app.clientId }));
  account.tokens.push(token);
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

const id = newHexId();

const callsOf = (program: OldProgram): RawRequest[] => [
  program.create(wanted()),
  program.list(wanted()),
  program.change(wanted(), id),
  program.destroy(wanted(), id),
];

const wanted = () => ({ token, profile: id, text: 'Brötchen – fünf & mehr' });

test.each(PROGRAMS)('%s is passed on as it writes', async (_name, program) => {
  for (const { method = 'GET', path, headers = {}, body = '' } of callsOf(program)) {
    old.requests.length = 0;
    await sendRaw(system.bridgeUrl, { method, path, headers, body });
    // A path with a slash too many is that of the call that it means.
    const target = path.replace('//', '/');
    expect(old.requests).toMatchObject([{ method, target, body: Buffer.from(body) }]);
    for (const name of ['content-type', 'authorization'])
      expect(old.requests[0]?.headers[name]).toBe(headers[name]);
  }
});
