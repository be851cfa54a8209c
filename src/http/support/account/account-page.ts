import type { RequestHandler, Router } from 'express';
import type { HttpSupportDeps } from '../deps.ts';
import { mayAct, type StaffRole } from '../../../domain/accounts/staff.ts';
import { describeAccount } from '../../../domain/support/describe-account.ts';
import { PageError } from '../../pages/page-error.ts';
import { type PageShell } from '../../site/page-shell.ts';
import { roleIn } from '../../site/reader.ts';
import { tokenCount } from '../../wording/state-words.ts';
import { readTable } from '../../tables/table-query.ts';
import { ACCOUNT_TOKEN_TABLE, tokenTable } from '../../tables/token-table.ts';
import { accountSentence } from './account-words.ts';
import { mailLines } from '../token/mail-words.ts';
import { oldApiStatusNow } from '../../../domain/lifecycle/old-api-status.ts';
import { tokenLine } from '../token/token-line.ts';

/** /support/accounts/:accountId: one person with all tokens, apps and mails. */

type AccountDescription = NonNullable<Awaited<ReturnType<typeof describeAccount>>>;

const appAddress = (clientId: string) => `/support/apps/${encodeURIComponent(clientId)}`;

/** What waits under the address of an account, and the verb that follows it. */
interface WaitingWords {
  what: string;
  verb: string;
}

function waitingWords({ waiting }: AccountDescription): WaitingWords | undefined {
  const { tokens, apps } = waiting;
  const parts = [
    tokens === 0 ? [] : [tokenCount(tokens)],
    apps === 0 ? [] : [`${apps} ${apps === 1 ? 'app' : 'apps'}`],
  ].flat();
  if (parts.length === 0) return undefined;
  return { what: parts.join(' and '), verb: tokens + apps === 1 ? 'waits' : 'wait' };
}

/** At most so many apps have a line with its action at the top. The others are in the list of tokens. */
const ACTIONS_MAX = 10;

/** The apps that a link would connect again, each with the way to the link. */
function shownActions(context: HttpSupportDeps, { waitingApps, apps }: AccountDescription, role: StaffRole) {
  const isOpen = ({ clientId }: { clientId: string }) => oldApiStatusNow(context, clientId).phase !== 'ended';
  const waiting = waitingApps.filter(isOpen);
  return {
    sentence: accountSentence({ waiting, apps, ended: apps.filter((app) => !isOpen(app)) }),
    canLink: mayAct(role, 'agent'),
    links: waiting.slice(0, ACTIONS_MAX).map(({ clientId, name, tokens, stoppedAt, mappingId }) => ({
      name,
      appHref: appAddress(clientId),
      tokens: tokenCount(tokens),
      stoppedAt,
      href: `/support/mappings/${mappingId}/link`,
    })),
    moreLinks: Math.max(0, waiting.length - ACTIONS_MAX),
  };
}

/** The apps of a person that are named one by one. */
const APPS_MAX = 100;

function shown(context: HttpSupportDeps, described: AccountDescription, reader: StaffRole) {
  const { account, apps, tokens, owned, mails, settlers, browsers, role } = described;
  return {
    account: {
      id: account.account_id,
      name: account.name ?? undefined,
      email: account.email ?? undefined,
      zone: account.timezone ?? undefined,
    },
    hasTokens: apps.length > 0 || tokens.length > 0,
    tokens: tokens.map((one) => tokenLine(context, one)),
    owned: owned.slice(0, APPS_MAX).map(({ clientId, name }) => ({ href: appAddress(clientId), name })),
    moreOwned: Math.max(0, owned.length - APPS_MAX),
    mails: mailLines(mails, { role: reader, names: settlers }),
    browsers,
    role,
    waiting: waitingWords(described),
    ...shownActions(context, described, reader),
  };
}

function show(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const query = readTable(req, ACCOUNT_TOKEN_TABLE);
    const described = await describeAccount(context, String(req.params['accountId']), query);
    if (!described)
      throw new PageError(404, 'There is no such account', {
        reason: 'The address names an account that is not known here.',
        next: 'An account is known from its first sign-in, connection or import on. Search for the e-mail address under “Search”.',
      });
    const { name, email } = described.account;
    frame.page(res, 'support-account', {
      title: name ?? email ?? 'Account',
      wide: true,
      ...shown(context, described, roleIn(res) as StaffRole),
      table: await tokenTable(context, query, {
        path: req.path,
        page: described.page,
        form: ACCOUNT_TOKEN_TABLE,
        anchor: 'tokens',
      }),
    });
  };
}

/** Adds /support/accounts/:accountId. */
export function supportAccountRoutes(router: Router, frame: PageShell): void {
  router.get('/support/accounts/:accountId', show(frame));
}
