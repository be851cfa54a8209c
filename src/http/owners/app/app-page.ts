import type { Request, RequestHandler, Response, Router } from 'express';
import { deauthorize } from '../../../domain/tokens/deauthorize.ts';
import { type AppTokens, tokensOfPair } from '../../../domain/tokens/tokens-of-account.ts';
import { listableCount } from '../../../domain/tokens/listable-tokens.ts';
import { ownerOrigin } from '../owned-app.ts';
import { formTargets, refuseOnCopy } from '../../signin/leave.ts';
import { personOf } from '../../signin/session.ts';
import { appLifecycleNow, dateCard } from '../../wording/dates/card.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { connectByWords, endOf } from '../../wording/dates/lines.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { signInAddress } from '../../site/reader.ts';
import { hasEnded } from '../connect/linked-app.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { chooseTokens, leaveToConnect } from '../connect/choose-tokens.ts';
import { holderCards, ownerCards } from './overview.ts';
import { mayManage } from '../../../domain/apps/app-access.ts';
import { headFor } from '../head/app-head.ts';
import { isUnproven } from '../home/unproven.ts';
import { registeredApp, shownApp } from '../shown-app.ts';
import { stateLines } from '../../wording/state-words.ts';

/**
 * /apps/:clientId: the target of the `reauthorize` link of a refused token. Everybody sees the app's name. A signed-in
 * person also sees the state of their own tokens of this app, with the one thing to do about these tokens.
 */

type App = Awaited<ReturnType<typeof registeredApp>>;

const appOf = ({ context }: PageShell, req: Request) => registeredApp(context, req);

/** The tokens of this app that the signed-in person has. */
async function ownTokens({ context }: PageShell, req: Request): Promise<AppTokens | undefined> {
  return tokensOfPair(context, {
    clientId: String(req.params['clientId']),
    accountId: signedInPerson(req).accountId,
  });
}

function showSignedOut(frame: PageShell, res: Response, { client_id: clientId, name }: App): void {
  const asOf = appLifecycleNow(frame.context, clientId);
  const ended = endOf(asOf);
  frame.page(res, 'app-signed-out', {
    title: ended === undefined ? `Connect “${name}” again` : name,
    appName: name,
    signIn: signInAddress(res.req),
    ended,
    connectBy: connectByWords(asOf),
  });
}

type OwnFacts = Pick<AppTokens, 'waiting' | 'alive' | 'isUnidentified' | 'counts'>;

const NO_OWN: OwnFacts = { waiting: 0, alive: 0, isUnidentified: false, counts: {} };

/** Whether the app took a connection over. That one lives at the new API, and nothing here ends it. */
const hasMoved = ({ counts }: Pick<AppTokens, 'counts'>) => (counts.migrated ?? 0) > 0;

/** What the page says of the person's own tokens. */
function ownFacts(tokens: OwnFacts = NO_OWN) {
  const { waiting, alive, isUnidentified } = tokens;
  return { waiting, alive, isUnidentified, hasMoved: hasMoved(tokens) };
}

/** The person's tokens that other programs use, but whose calls name this app. */
async function countClaiming({ context }: PageShell, { client_id: clientId }: App, accountId: string) {
  return (await listableCount(context, { clientId, accountId })).claiming;
}

function showApp(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const app = await appOf(frame, req);
    const person = personOf(req);
    if (!person) return showSignedOut(frame, res, app);
    const shown = await shownApp(frame.context, req);
    const tokens = await ownTokens(frame, req);
    const isWaiting = await isUnproven(frame.context, person);
    const footing = oldApiStatusOf(appLifecycleNow(frame.context, app.client_id));
    const { access, seesAll } = shown;
    frame.page(res, 'app', {
      title: app.name,
      app,
      seesAll,
      access,
      ...(await headFor(frame.context, shown, 'overview')),
      mayManage: mayManage(access),
      dates: await dateCard(frame.context, { clientId: app.client_id, isOwner: seesAll }),
      hasEnded: footing.phase === 'ended',
      areRefused: !footing.hasOldApi,
      ...ownFacts(tokens),
      isWaiting,
      claiming: footing.phase === 'ended' ? 0 : await countClaiming(frame, app, person.accountId),
      lines: stateLines(tokens?.counts ?? {}, footing, tokens?.unknownThere),
      ...(seesAll
        ? await ownerCards(frame.context, shown, footing)
        : await holderCards(frame.context, shown)),
      formTargets: formTargets(frame.context.server.authorizationUrl),
    });
  };
}

/** POST …/connect: leads to the consent at the new API, for the person's own tokens of this app. */
function connect(frame: PageShell): RequestHandler {
  return async (req, res, next) => {
    const { client_id: clientId } = await appOf(frame, req);
    const leave = (notice: string) => leaveWith(frame.context, res, { href: `/apps/${clientId}`, notice });
    if (hasEnded(frame.context, clientId)) return leave('old-api-ended');
    const { accountId } = signedInPerson(req);
    if (!(await leaveToConnect(frame, { clientId, accountId }, [req, res, next]))) leave('nothing-waits');
  };
}

function askToRevoke(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const app = await appOf(frame, req);
    const tokens = await ownTokens(frame, req);
    if (!tokens || tokens.alive === 0) return res.redirect(303, `/apps/${app.client_id}`);
    const { alive } = tokens;
    frame.page(res, 'app-revoke', {
      title: `Revoke “${app.name}”?`,
      app,
      alive,
      hasEnded: hasEnded(frame.context, app.client_id),
      hasMoved: hasMoved(tokens),
    });
  };
}

/**
 * The notice after a revocation, by what the tokens are then: the app may have moved since the form was opened. Of a
 * double click the browser shows the second answer alone, and the first one has revoked.
 */
function revokedNotice(was: OwnFacts = NO_OWN, { counts }: OwnFacts = NO_OWN): string {
  const isDone = (counts.revoked ?? 0) > (was.counts.revoked ?? 0);
  if (isDone) return hasMoved({ counts }) ? 'revoked-not-moved' : 'revoked';
  return counts.revoked && !hasMoved({ counts }) ? 'revoked' : 'nothing-revoked';
}

async function revoke(frame: PageShell, req: Request, res: Response): Promise<void> {
  const { client_id: clientId } = await appOf(frame, req);
  const { accountId } = signedInPerson(req);
  const tokens = await ownTokens(frame, req);
  const reason = 'the account holder asked for it';
  const ending = { ...ownerOrigin(res), reason };
  if (tokens && tokens.alive > 0) await deauthorize(frame.context, { clientId, accountId }, ending);
  const notice = revokedNotice(tokens, await ownTokens(frame, req));
  leaveWith(frame.context, res, { href: `/apps/${clientId}`, notice });
}

/** Adds the pages of an app. */
export function appRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/:clientId', showApp(frame));
  router.get('/apps/:clientId/connect', ...chooseTokens(frame));
  router.post('/apps/:clientId/connect', refuseOnCopy(frame.context), connect(frame));
  router.get('/apps/:clientId/revoke', frame.requirePerson, askToRevoke(frame));
  router.post('/apps/:clientId/revoke', (req, res) => revoke(frame, req, res));
}
