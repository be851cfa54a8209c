import { demoCredentials } from '../../demo/credentials.ts';
import { checkCredentials, type FailedSignIn } from '../../interactions/credentials.ts';
import type { SettingsRoutes } from '../desk.ts';
import { beginSession, endSettingsSession } from '../session.ts';
import { goTo, type OpenVisit, show } from '../visit.ts';

const START = '/settings/api';
/** Only the settings pages, without a query. Any other address is ignored. */
const OWN_PAGE = /^\/settings\/(?:api|apps|account)(?:\/[\w-]{1,64}){0,5}$/;

const nextOf = (value: unknown) => (typeof value === 'string' && OWN_PAGE.test(value) ? value : START);

function showSignIn(visit: OpenVisit, next: string, failed?: FailedSignIn): void {
  if (failed) visit.res.status(failed.status);
  show(visit, 'sign-in', {
    title: 'Sign in',
    action: '/settings/sign-in',
    next,
    email: failed?.email ?? '',
    problem: failed?.problem,
    demo: visit.parts.demo && demoCredentials(visit.parts.store),
  });
}

function openSignIn(visit: OpenVisit): void {
  const next = nextOf(visit.req.query['next']);
  if (visit.account) goTo(visit, next);
  else showSignIn(visit, next);
}

async function signIn(visit: OpenVisit): Promise<void> {
  const next = nextOf(visit.form['next']);
  const outcome = await checkCredentials(visit.parts, visit);
  if ('problem' in outcome) return showSignIn(visit, next, outcome);
  await beginSession(visit.parts, visit, { accountId: outcome.account.id, loginTs: outcome.loginTs });
  return goTo(visit, next);
}

export function addSignIn(desk: SettingsRoutes): void {
  desk.openGet('/sign-in', openSignIn);
  desk.openPost('/sign-in', signIn);
  desk.post('/sign-out', async (visit) => {
    await endSettingsSession(visit.parts, visit);
    goTo(visit, '/settings/sign-in', 'signed-out');
  });
}
