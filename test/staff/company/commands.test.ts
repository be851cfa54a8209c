import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examineAll } from '../../../src/cli/commands/doctor.ts';
import { add } from '../../../src/cli/commands/staff.ts';
import { listStaffCommand } from '../../../src/cli/commands/staff-list.ts';
import { readConfig } from '../../../src/config/config.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { companySettings, signInStaff, startCompanySystem } from './support/company-system.ts';
import { type IdentityProvider, startIdentityProvider } from './support/identity-provider.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { DANA } from '../../owners/support/people.ts';

/** What the commands say of a company sign-in. */

const before = process.env;
const folder = mkdtempSync(join(tmpdir(), 'company-doctor-'));
let company: IdentityProvider;
const publicUrl = 'http://127.0.0.1:4000';

beforeAll(async () => {
  company = await startIdentityProvider({ redirectUri: `${publicUrl}/sign-in/company/return` });
});
afterEach(() => {
  process.env = before;
});
afterAll(async () => {
  await company.close();
  rmSync(folder, { recursive: true });
});

async function findingOf(changes: Record<string, string>) {
  const modern = `http://127.0.0.1:${await freePort()}`;
  process.env = {
    PUBLIC_URL: publicUrl,
    VAR_DIR: join(folder, 'var'),
    MODERN_AUTH_URL: modern,
    MODERN_API_URL: modern,
    MODERN_CLIENT_ID: 'bridge',
    LOG_LEVEL: 'error',
    ...changes,
  };
  const findings = await examineAll(readConfig());
  return findings.find(({ check }) => check === 'company sign-in');
}

test('doctor proves the provider, the client and the redirect URI', async () => {
  expect(await findingOf({})).toMatchObject({ state: 'not looked at' });
  expect(await findingOf(companySettings(company.issuer))).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining(`${company.issuer} accepted the client`) as unknown,
  });
});

test.each([
  [
    'a wrong secret',
    { STAFF_OIDC_CLIENT_SECRET: 'wrong-and-not-to-be-told' },
    /refuses the client \(invalid_client\)/,
  ],
  ['another address', { PUBLIC_URL: 'http://127.0.0.1:4001' }, /Register exactly this redirect URI/],
  [
    'an issuer that is another server',
    { STAFF_OIDC_ISSUER: 'http://127.0.0.1:9' },
    /STAFF_OIDC_ISSUER: .* cannot be reached/,
  ],
])('doctor names %s', async (_what, changes, words) => {
  const finding = await findingOf({ ...companySettings(company.issuer), ...changes });
  expect(finding).toMatchObject({ state: 'failed', detail: expect.stringMatching(words) as unknown });
  expect(finding?.detail).not.toContain('not-to-be-told');
});

test('staff add and staff list say who has no access, and who came by the company', async () => {
  const ground = await startCompanySystem();
  const { bridge } = ground.system;
  const { issuer } = ground.company;
  const { database } = bridge;
  const own = {
    VAR_DIR: join(bridge.context.anchorsFile, '..'),
    DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
    LOG_LEVEL: 'error',
  };
  process.env = { ...own, ...companySettings(issuer) };
  // Before anybody came the list says by which way staff come, and not that nobody is staff.
  const early = (await listStaffCommand()).lines.join('\n');
  expect(early).toContain(`Staff sign in by the company, at ${issuer}.`);
  expect(early).toMatch(/cannot know who may sign in\. Nobody has signed in yet\.$/);
  expect(early).not.toContain('staff add');
  await signInStaff(ground, new CookieWalker(), { login: 'rio' });
  const came = (await listStaffCommand()).lines;
  expect(came.at(-1)).toMatch(
    /^rio at .* {2}reader {2}Rio Reader, .* {2}last signed in \d{4}-\d\d-\d\dT\S+Z$/,
  );
  expect(came.join('\n')).not.toContain('Nobody has signed in yet');
  const added = await add({ role: 'lead' }, [DANA.accountId]);
  expect(added.lines.join('\n')).toContain('so this account has no access');
  expect(added.json).toMatchObject({ has_access: false });
  const listed = await listStaffCommand();
  expect(listed.lines.join('\n')).toContain('These accounts have no access now');
  expect(listed.json).toMatchObject({
    company: [{ issuer, subject: 'rio', role: 'reader', name: 'Rio Reader', provider_is_set: true }],
    company_sign_in: issuer,
  });
  process.env = own;
  const later = (await listStaffCommand()).lines.join('\n');
  expect(later).toMatch(/rio at .* no access now: this provider is not set \(STAFF_OIDC_ISSUER\)$/);
  expect(later).not.toContain('These accounts have no access now');
  await ground.stop();
});
