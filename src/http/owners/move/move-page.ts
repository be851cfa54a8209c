import type { Request, RequestHandler, Router } from 'express';
import type { OwnersDeps } from '../deps.ts';
import { type MigrationProgress, movedSoFar } from '../../../domain/handover/migration-checklist.ts';
import { openConfirmations } from '../../../domain/take-back/look.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { confirmationRoutes } from './confirmations.ts';
import { checklist, CONNECT_THERE, hasTakenOver, isTooLate, nextStep, stepBadge } from './checklist.ts';
import { type ExampleValues, examplesFor } from './examples.ts';
import { variablesOf } from './examples-variables.ts';
import { underHead } from '../head/app-head.ts';
import { type AppForOwner, seenApp } from '../owned-app.ts';

const NO_CONFIRMATIONS = { open: [], next: undefined };

/** GET /apps/:clientId/move: how far the app has moved to the new API, and how its calls look there. */

/** Both endpoints have the same base address: /auth and /token. */
function tokenUrlOf(authorizationUrl: string): string {
  return authorizationUrl.replace(/\/auth$/, '/token');
}

function valuesFor(
  { settings, server, sides }: OwnersDeps,
  app: AppForOwner,
  { client, grants: { former = [], takers = [] }, handovers }: MigrationProgress,
): ExampleValues {
  return {
    clientId: app.client_id,
    callback: app.callbacks[0],
    publicUrl: settings.publicUrl,
    modern: {
      clientId: client?.id,
      // Who took a connection over confirms it, also where none is left to take.
      former: handovers.awaited + handovers.lost > 0 ? takers : former.map(({ id }) => id),
      isConfidential: client?.isConfidential ?? true,
      scopes: client?.scopes.join(' ') ?? settings.scopes,
      authorizeUrl: server.authorizationUrl,
      tokenUrl: tokenUrlOf(server.authorizationUrl),
      apiUrl: sides.apiUrl,
    },
  };
}

/** The entry of the history before which confirmations are listed; undefined for the newest. */
function olderThan({ query }: Request): number | undefined {
  const before = Number(query['confirmed-before']);
  return Number.isSafeInteger(before) && before > 0 ? before : undefined;
}

function showMove(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const seen = await seenApp(context, req);
    const { app } = seen;
    const moved = await movedSoFar(context, app.client_id);
    const footing = oldApiStatusOf(appLifecycleNow(context, app.client_id));
    const steps = checklist(moved, { home: `/apps/${app.client_id}`, ...footing });
    const values = valuesFor(context, app, moved);
    frame.page(res, 'move', {
      title: `Move “${app.name}” to the new API`,
      ...(await underHead(context, seen, 'move')),
      steps: steps.map((step) => ({ ...step, ...stepBadge(step, footing.phase) })),
      done: steps.filter(({ state }) => state === 'done').length,
      current: nextStep(steps)?.id,
      tooLate: isTooLate(steps, footing.phase) ? CONNECT_THERE : undefined,
      hasTakenOver: hasTakenOver(moved),
      isOwner: seen.access === 'owner',
      hasNoTaker: footing.phase !== 'ended' && !moved.client && values.modern.former.length === 0,
      values,
      examples: examplesFor(values),
      variables: variablesOf(values),
      confirmations:
        seen.access === 'owner'
          ? await openConfirmations(context, app.client_id, olderThan(req))
          : NO_CONFIRMATIONS,
    });
  };
}

/** Adds /apps/:clientId/move. */
export function moveRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/:clientId/move', frame.requirePerson, showMove(frame));
  confirmationRoutes(router, frame);
}
