import { whileWritesFail } from './support/api-caller.ts';
import { browser, withConsentingBrowser } from './support/consenting-browser.ts';
import { ask } from './support/authorization-answers.ts';
import {
  apiStatus,
  authorizationUrl,
  consent,
  exchange,
  REDIRECT_URI,
  refresh,
  type TokenAnswer,
} from './support/modern.ts';
import { base, modern } from './support/running-modern.ts';

/** docs/threats.md C74 and A15: the store fails in the middle of /token and of /auth. */

withConsentingBrowser({ logLevel: 'none' });

function expectOutage({ status, headers, body }: TokenAnswer): void {
  expect(status).toBeGreaterThanOrEqual(500);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Object.keys(body).toSorted()).toEqual(['error', 'error_description']);
  expect(JSON.stringify(body)).not.toContain('disk');
}

const EVENTS = ['update', 'insert'] as const;

test.each(EVENTS)('a code is still good after an exchange during which every %s failed', async (event) => {
  const given = await consent({ base, browser });
  expectOutage(await whileWritesFail(modern, [event, 'oidc_records'], () => exchange(base, given)));
  const { status, body } = await exchange(base, given);
  expect([status, await apiStatus(base, body['access_token'])]).toEqual([200, 200]);
});

test.each(EVENTS)(
  'a refresh token is still good after a refresh during which every %s failed',
  async (event) => {
    const { body: first } = await exchange(base, await consent({ base, browser }));
    const failed = () => refresh(base, first['refresh_token']);
    expectOutage(await whileWritesFail(modern, [event, 'oidc_records'], failed));
    const { status, body } = await refresh(base, first['refresh_token']);
    expect([status, await apiStatus(base, body['access_token'])]).toEqual([200, 200]);
  },
);

test.each(['code', 'refresh token'])(
  'a %s that was spent before stays spent when the store fails at its second use',
  async (kind) => {
    const given = await consent({ base, browser });
    const { body: first } = await exchange(base, given);
    const use = () => (kind === 'code' ? exchange(base, given) : refresh(base, first['refresh_token']));
    if (kind !== 'code') await use();
    expectOutage(await whileWritesFail(modern, ['delete', 'oidc_records'], use));
    expect((await use()).body['error']).toBe('invalid_grant');
    expect(await apiStatus(base, first['access_token'])).toBe(401);
  },
);

const askToAuthorize = () => ask(authorizationUrl(base, { state: 's' }));

test('row A15 an authorization that cannot be kept goes back as server_error or is a page, and the next one works', async () => {
  const { status, location, query, body } = await whileWritesFail(
    modern,
    ['insert', 'oidc_records'],
    askToAuthorize,
  );
  expect(`${location} ${body}`).not.toMatch(/disk|trigger|at .+\.[jt]s:\d/);
  expect(query.get('code')).toBeNull();
  if (location === undefined) expect(status).toBeGreaterThanOrEqual(500);
  else expect([location.split('?')[0], query.get('error')]).toEqual([REDIRECT_URI, 'server_error']);
  const { status: next } = await exchange(base, await consent({ base, browser }));
  expect(next).toBe(200);
});
