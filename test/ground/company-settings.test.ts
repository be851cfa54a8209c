import { readConfig } from '../../src/config/config.ts';
import { MINUTE } from '../../src/shared/lifetimes.ts';

/** The settings of the company sign-in: half of them, or wrong ones, refuse the start. */

const ALL = {
  STAFF_OIDC_ISSUER: 'https://login.example/tenant/',
  STAFF_OIDC_CLIENT_ID: 'support',
  STAFF_OIDC_CLIENT_SECRET: 'a secret that no message may quote',
  STAFF_OIDC_ROLES: 'Leads:lead, staff:agent',
};

function problemsOf(settings: Record<string, string>): string {
  try {
    readConfig(settings);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

test('without the settings there is no company sign-in', () => {
  const { company, companySecret } = readConfig({});
  expect([company, companySecret]).toEqual([undefined, undefined]);
});

test('with them there is one, and the issuer keeps its end', () => {
  const { company, companySecret } = readConfig(ALL);
  expect(companySecret).toBe(ALL.STAFF_OIDC_CLIENT_SECRET);
  expect({ ...company, roles: [...(company?.roles ?? [])] }).toEqual({
    issuer: 'https://login.example/tenant/',
    clientId: 'support',
    scopes: 'openid profile email',
    roleClaim: 'groups',
    roles: [
      ['Leads', 'lead'],
      ['staff', 'agent'],
    ],
    sessionLifetime: 240 * MINUTE,
    alsoLocal: false,
  });
});

test.each(Object.keys(ALL))('without %s alone the start names it', (name) => {
  const { [name as keyof typeof ALL]: _left, ...others } = ALL;
  const problems = problemsOf(others);
  expect(problems).toContain(`${name}: must be set too`);
  expect(problems).not.toContain('a secret that');
});

test.each([
  ['STAFF_OIDC_ISSUER', 'http://login.example', 'must be https'],
  ['STAFF_OIDC_ISSUER', 'login.example', 'must be an http or https address'],
  ['STAFF_OIDC_ISSUER', 'https://login.example/?x=1', 'without user, query and fragment'],
  ['STAFF_OIDC_ROLES', 'Leads', 'entry 1 must be VALUE:ROLE'],
  ['STAFF_OIDC_ROLES', 'Leads:boss', 'with a role of reader, agent, lead'],
  ['STAFF_OIDC_ROLES', 'Leads:lead,', 'entry 2 must be VALUE:ROLE'],
  ['STAFF_OIDC_ROLES', ':lead', 'entry 1 must be VALUE:ROLE'],
  ['STAFF_OIDC_ROLES', '%zz:lead', 'entry 1 must be VALUE:ROLE'],
  ['STAFF_OIDC_ROLES', 'a:lead,a:reader', 'entry 2 has the value of another entry'],
  ['STAFF_OIDC_ROLE_CLAIM', 'two words', 'must be the name of a claim'],
  ['STAFF_OIDC_SCOPES', 'profile email', 'must contain openid'],
  ['STAFF_OIDC_SCOPES', 'openid,profile', 'must be scopes with blanks between'],
  ['STAFF_OIDC_SESSION_MINUTES', '4', 'must be at least 5'],
  ['STAFF_OIDC_SESSION_MINUTES', '721', 'must be at most 720'],
  ['STAFF_OIDC_ALSO_LOCAL', 'yes', 'must be on or off'],
])('%s=%s is refused in clear words', (name, value, words) => {
  const problems = problemsOf({ ...ALL, [name]: value });
  expect(problems).toContain(`${name}: `);
  expect(problems).toContain(words);
  expect(problems).not.toContain('must be set too');
});

test('an option of the company sign-in without a provider is refused', () => {
  expect(problemsOf({ STAFF_OIDC_ALSO_LOCAL: 'on' })).toContain(
    'STAFF_OIDC_ALSO_LOCAL: needs STAFF_OIDC_ISSUER',
  );
});
