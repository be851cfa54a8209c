import { confirm, exchange, startSystemWithOwnClient } from '../../exchange/support/own-client.ts';
import { keyFor, programOf } from '../../staff-api/support/api-client.ts';
import { mappingOf } from '../../support/bridge/waiting-token.ts';
import type { System } from '../../support/bridge/system.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { wordsOf } from '../../owners/support/people.ts';
import { staffBrowser } from '../support/staff-browser.ts';

/** An app may take over one connection of an account after the other. A moved token is told of its own hand-over. */

let system: System;

beforeAll(async () => {
  system = await startSystemWithOwnClient();
});
afterAll(() => system.stop());

/** A token whose connection its app has taken over. */
async function moved() {
  const token = await issueToken(system);
  expect((await exchange(system.bridgeUrl, token)).status).toBe(200);
  const { id = '', grant_id: grantId } = (await mappingOf(system.bridge, token)) ?? {};
  return { token, id, grantId };
}

test('a token whose hand-over is confirmed is not said to wait for the confirmation of a later one', async () => {
  const first = await moved();
  expect((await confirm(system.bridgeUrl, first.token)).status).toBe(200);
  const later = await moved();
  expect(later.grantId).not.toBe(first.grantId);
  const sam = await staffBrowser(system, 'reader');
  const program = programOf(system, (await keyFor(system, 'reader')).key);
  const told = async ({ id }: { id: string }) => {
    const page = wordsOf(await sam.get(`${system.bridgeUrl}/support/mappings/${id}`));
    const { handover } = (await program.get(`/tokens/${id}`)).json as { handover: unknown };
    return { isOpen: page.includes('The app has not confirmed yet'), handover };
  };
  expect(await told(first)).toEqual({
    isOpen: false,
    handover: expect.objectContaining({ grant_id: first.grantId, confirmed_at: expect.any(String) }),
  });
  expect(await told(later)).toEqual({
    isOpen: true,
    handover: expect.objectContaining({ grant_id: later.grantId, confirmed_at: null }),
  });
});
