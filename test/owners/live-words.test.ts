import { liveLine } from '../../src/http/owners/live/live-words.ts';

/** What the live page says of a refusal, by the address that was called. */

const said = (endpoint: string, status: number) =>
  liveLine(
    {
      id: '1',
      at: 0,
      account_id: null,
      client_id: 'a'.repeat(24),
      method: 'POST',
      endpoint,
      status,
      answered_by: 'refused',
      carrier: 'header',
      hint: null,
      user_agent: 'none',
      network: 'unknown',
    },
    { seesAll: true, isFresh: false },
  ).status;

test.each([
  '/1/profiles/:id.json',
  '/1/profiles/:id/updates/pending.json',
  '/1/updates/:id.json',
  '/1/updates/:id/destroy',
  '/1/profiles/:id/updates/reorder.json',
  '/1/profiles/:id/updates/shuffle',
])('a 404 of %s is about the id, for the new API answers the address', (endpoint) => {
  expect(said(endpoint, 404)).toBe('there is nothing at this address (404)');
});

test.each(['/1/nothing.json', 'other'])('a 404 of %s is about the address', (endpoint) => {
  expect(said(endpoint, 404)).toBe('this address is not served (404)');
});

test('a 400 is not only for what is malformed', () => {
  expect(said('/1/profiles/:id/schedules/update.json', 400)).toBe(
    'what the call asks for cannot be done (400)',
  );
});
