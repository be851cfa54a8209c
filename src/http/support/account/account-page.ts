import type { RequestHandler, Router } from 'express';
import type { HttpSupportDeps } from '../deps.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { describeAccount } from '../../../domain/support/describe-account.ts';
import { PageError } from '../../pages/page-error.ts';
import { type PageShell } from '../../site/page-shell.ts';
import { roleIn } from '../../site/reader.ts';
import { stateLines, tokenCount } from '../../wording/state-words.ts';
import { mailLines } from '../token/mail-words.ts';
import { oldApiStatusNow } from '../../../domain/lifecycle/old-api-status.ts';
import { tokenLine } from '../token/token-line.ts';

/** /support/accounts/:accountId: one person with all tokens, apps and mails. */

type AccountDescription = NonNullable<Awaited<ReturnType<typeof describeAccount>>>;

const appAddress = (clientId: string) => `/support/apps/${encodeURIComponent(clientId)}`;

function waitingWords({ waiting }: AccountDescription): string | undefined {
  const { tokens, apps } = waiting;
  const parts = [
    tokens === 0 ? [] : [tokenCount(tokens)],
    apps === 0 ? [] : [`${apps} ${apps === 1 ? 'app' : 'apps'}`],
  ].flat();
  return parts.length === 0 ? undefined : parts.join(' and ');
}

function shown(context: HttpSupportDeps, described: AccountDescription, reader: StaffRole) {
  const { account, apps, tokens, isMore, owned, mails, browsers, role } = described;
  return {
    account: {
      id: account.account_id,
      name: account.name ?? undefined,
      email: account.email ?? undefined,
      zone: account.timezone ?? undefined,
    },
    apps: apps.map(({ clientId, name, counts }) => ({
      href: appAddress(clientId),
      name,
      states: stateLines(counts, oldApiStatusNow(context, clientId)),
    })),
    tokens: tokens.map((row) => tokenLine(context, row)),
    isMore,
    owned: owned.map(({ clientId, name }) => ({ href: appAddress(clientId), name })),
    mails: mailLines(mails, reader),
    browsers,
    role,
    waiting: waitingWords(described),
  };
}

function show(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const described = await describeAccount(frame.context, String(req.params['accountId']));
    if (!described)
      throw new PageError(404, 'There is no such account', {
        reason: 'The address names an account that is not known here.',
        next: 'An account is known from its first sign-in, connection or import on. Search for the e-mail address under “Search”.',
      });
    const { name, email } = described.account;
    frame.page(res, 'support-account', {
      title: name ?? email ?? 'Account',
      wide: true,
      ...shown(frame.context, described, roleIn(res) as StaffRole),
    });
  };
}

/** Adds /support/accounts/:accountId. */
export function supportAccountRoutes(router: Router, frame: PageShell): void {
  router.get('/support/accounts/:accountId', show(frame));
}
