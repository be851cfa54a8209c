import { newHexId } from '../../../src/shared/ids.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import {
  type ApiGround,
  appWithTwoSecrets,
  exemptedApp,
  extendedApp,
  freeWindow,
  mailOfNobody,
  plannedBrownout,
  revokedEntry,
  someApp,
  stoppedAddress,
  stoppedJob,
  underAddress,
  waitingIn,
  waitingJob,
} from './ground.ts';

/** A good request for each operation, with something new to act on. */

interface GoodRequest {
  path: string;
  body?: Record<string, unknown>;
}

const reason = 'ticket 4711';
const at = (path: string): GoodRequest => ({ path });
const iso = (moment: number) => new Date(moment).toISOString();

let days = 0;

/** Another day each time. */
function aDay(): string {
  days += 1;
  return iso(Date.now() + (200 + days) * DAY);
}

const forToken =
  (action: string, body: Record<string, unknown> = {}) =>
  async (ground: ApiGround) => {
    const { mappingId } = await waitingIn(ground);
    return { path: `/tokens/${mappingId}/${action}`, body: { reason, ...body } };
  };

const READS: Record<string, (ground: ApiGround) => Promise<GoodRequest>> = {
  readOwnKey: async () => at('/key'),
  search: async (ground) => ({ path: '/search', body: { text: (await waitingIn(ground)).token } }),
  readToken: async ({ connected }) => at(`/tokens/${connected.mappingId}`),
  listTokenHistory: async ({ connected }) => at(`/tokens/${connected.mappingId}/history`),
  listApps: async () => at('/apps'),
  readApp: async (ground) => at(`/apps/${await extendedApp(ground)}`),
  listAppTokens: async ({ app }) => at(`/apps/${app.clientId}/tokens`),
  listAppHistory: async ({ app }) => at(`/apps/${app.clientId}/history`),
  readAccount: async (ground) => at(`/accounts/${(await waitingIn(ground)).accountId}`),
  listAccountTokens: async (ground) => at(`/accounts/${(await waitingIn(ground)).accountId}/tokens`),
  readRequest: async ({ bridge }) => {
    const requestId = newHexId();
    const event = {
      uid: newHexId(),
      at: Date.now(),
      actor: 'test',
      action: 'link_made',
      reason,
      witness: '',
    };
    await bridge.context.store.durable
      .insertInto('events')
      .values({ ...event, request_id: requestId })
      .execute();
    return at(`/requests/${requestId}`);
  },
  countDesks: async () => at('/desks'),
  listGrantsInDoubt: async () => at('/desks/in-doubt'),
  listUndeliverableMails: async (ground) => {
    await mailOfNobody(ground);
    return at('/desks/undeliverable');
  },
  listPeopleWithoutAccount: async (ground) => {
    await underAddress(ground);
    return at('/desks/no-account');
  },
  listOpenHandovers: async () => at('/desks/hand-overs'),
  listWaitingApps: async () => at('/desks/waiting'),
  listEndingExtensions: async () => at('/desks/extensions'),
  listUnprovenTokens: async () => at('/desks/unproven'),
  listEndedConnections: async () => at('/desks/died-today'),
  readNumbers: async () => at('/numbers'),
  listNumbersByApp: async () => at('/numbers/apps?days=30'),
  listForecasts: async () => at('/numbers/forecasts'),
  listChecks: async () => at('/checks'),
  readShadow: async () => at('/shadow'),
  planReminders: async () => at('/reminders/plan?on=2027-02-01'),
  listDates: async (ground) => {
    await extendedApp(ground);
    return at('/dates');
  },
  listBrownouts: async (ground) => {
    await plannedBrownout(ground);
    return at('/brownouts');
  },
  listHandovers: async () => at('/handovers'),
  followHistory: async () => at('/history'),
  listJobs: async () => at('/jobs'),
  readJob: async (ground) => at(`/jobs/${await waitingJob(ground)}`),
  listJobItems: async (ground) => at(`/jobs/${await waitingJob(ground)}/items`),
};

const WRITES: typeof READS = {
  revokeToken: forToken('revoke'),
  makeLink: forToken('link'),
  remindOfToken: forToken('remind', { to: 'holder' }),
  probeToken: async ({ connected }) => ({ path: `/tokens/${connected.mappingId}/probe`, body: { reason } }),
  assignToken: async (ground) => {
    const { mappingId } = await waitingIn(ground, 'observed');
    return { path: `/tokens/${mappingId}/assign`, body: { client_id: ground.app.clientId, reason } };
  },
  pinToken: async (ground) => {
    const { mappingId, email, accountId } = await underAddress(ground);
    return { path: `/tokens/${mappingId}/pin`, body: { email, account_id: accountId, reason } };
  },
  reportLeakedTokens: async (ground) => {
    const { token } = await waitingIn(ground);
    return { path: '/leaked-tokens', body: { tokens: [token, 'unknown'], found: 'a log', grace_hours: 0 } };
  },
  addApp: async () => ({
    path: '/apps',
    body: { name: 'New app', callbacks: ['https://new.example/cb'], owner: newHexId() },
  }),
  addAppSecret: async (ground) => ({ path: `/apps/${await someApp(ground)}/secrets`, body: {} }),
  retireAppSecret: async (ground) => {
    const { clientId, secretId } = await appWithTwoSecrets(ground);
    return { path: `/apps/${clientId}/secrets/${secretId}/retire`, body: {} };
  },
  extendApp: async (ground) => ({
    path: `/apps/${await someApp(ground)}/extend`,
    body: { date: 'retirement', until: iso(Date.now() + 90 * DAY), reason },
  }),
  unextendApp: async (ground) => ({
    path: `/apps/${await extendedApp(ground)}/unextend`,
    body: { date: 'retirement', reason },
  }),
  exemptApp: async (ground) => ({
    path: `/apps/${await someApp(ground)}/exempt`,
    body: { until: iso(Date.now() + DAY), reason },
  }),
  unexemptApp: async (ground) => ({ path: `/apps/${await exemptedApp(ground)}/unexempt`, body: { reason } }),
  addBrownout: async () => {
    const { startsAt, endsAt } = freeWindow();
    const window = { starts_at: iso(startsAt), ends_at: iso(endsAt) };
    return { path: '/brownouts', body: { rehearses: 'retirement', ...window, text: 'A rehearsal' } };
  },
  removeBrownout: async (ground) => ({
    path: `/brownouts/${await plannedBrownout(ground)}/remove`,
    body: {},
  }),
  setDate: async () => ({ path: '/dates/sunset', body: { at: aDay(), reason } }),
  cutOverApp: async (ground) => ({
    path: `/apps/${await someApp(ground)}/cut-over`,
    body: { percent: 10, reason },
  }),
  extendApps: async (ground) => ({
    path: '/jobs/extend-apps',
    body: {
      client_ids: [await someApp(ground)],
      date: 'retirement',
      until: iso(Date.now() + 90 * DAY),
      reason,
    },
  }),
  assignTokens: async (ground) => ({
    path: '/jobs/assign-tokens',
    body: {
      token_ids: [(await waitingIn(ground, 'observed')).mappingId],
      client_id: ground.app.clientId,
      reason,
    },
  }),
  makeLinks: async (ground) => ({
    path: '/jobs/make-links',
    body: { account_ids: [(await waitingIn(ground)).accountId], client_id: ground.app.clientId, reason },
  }),
  stopJob: async (ground) => ({ path: `/jobs/${await waitingJob(ground)}/stop`, body: {} }),
  takeJobBack: async (ground) => ({ path: `/jobs/${await stoppedJob(ground)}/take-back`, body: {} }),
  takeEntryBack: async (ground) => ({
    path: `/history/${await revokedEntry(ground)}/take-back`,
    body: { reason },
  }),
  clearShadow: async () => ({ path: '/shadow/clear', body: {} }),
  importRows: async () => ({
    path: '/import',
    body: {
      rows: [
        {
          type: 'app',
          client_id: newHexId(),
          name: 'Old app of a program',
          client_secret: `a-secret-${newHexId()}`,
          callback_urls: ['https://old-app.example/cb'],
          owner_email: 'owner@old-app.example',
        },
      ],
      max_refused: 0,
    },
  }),
  settleMail: async (ground) => ({ path: `/mails/${await mailOfNobody(ground)}/settle`, body: { reason } }),
  resumeReminders: async (ground) => ({
    path: '/reminders/resume',
    body: { address: await stoppedAddress(ground) },
  }),
};

export const GOOD_REQUESTS = { ...READS, ...WRITES };
