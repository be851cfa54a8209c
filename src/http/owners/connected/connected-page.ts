import type { RequestHandler, Router } from 'express';
import { type ConnectionProof, proveConnection } from '../../../domain/reads/prove-connection.ts';
import { tokensOfPair } from '../../../domain/tokens/tokens-of-account.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { callingOf } from '../../request-trace.ts';
import { formTargets } from '../../signin/leave.ts';
import { scopeLines } from '../../signin/scope-words.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { stateLines } from '../../wording/state-words.ts';
import { needsOf } from '../home/needs-of.ts';
import { registeredApp } from '../shown-app.ts';
import { proofWords } from './proof-words.ts';

/**
 * /apps/:clientId/connected: where a person lands after a consent. The page proves the connection by a read with it, or
 * shows the answer that calls get now with the time of its read, and leads on to the next app that waits. It says nothing that its address alone claims.
 */

/** What the next app needs, and how many wait after it. */
async function nextOf({ context }: PageShell, accountId: string, clientId: string) {
  const { needs } = await needsOf(context, accountId);
  const others = needs.filter(({ id }) => id !== `needs-app-${clientId}`);
  return { need: others[0], after: Math.max(0, others.length - 1) };
}

const titleOf = (name: string, { is }: ConnectionProof) =>
  is === 'ended' ? `The connection of “${name}” has ended` : `“${name}” is connected`;

function showConnected(frame: PageShell): RequestHandler {
  const { context, parts } = frame;
  return async (req, res) => {
    const { client_id: clientId, name } = await registeredApp(context, req);
    const { accountId } = signedInPerson(req);
    const { scopes: wanted } = await parts.clientFor({ purpose: 'reauthorization', client_id: clientId });
    const pair = { clientId, accountId };
    const proof = await proveConnection(context, pair, { wanted, calling: callingOf(res) });
    const tokens = proof && (await tokensOfPair(context, pair));
    if (!proof || !tokens) return res.redirect(303, `/apps/${clientId}`);
    const footing = oldApiStatusOf(appLifecycleNow(context, clientId));
    frame.page(res, 'connected', {
      title: titleOf(name, proof),
      app: { name, clientId },
      proof: proofWords(proof, context.clock.now()),
      lacking: scopeLines(proof.lacking.join(' ')).filter(Boolean),
      lines: stateLines(tokens.counts, footing, tokens.unknownThere),
      ...(await nextOf(frame, accountId, clientId)),
      formTargets: formTargets(context.server.authorizationUrl),
    });
  };
}

/** Adds the page. */
export function connectedRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/:clientId/connected', frame.requirePerson, showConnected(frame));
}
