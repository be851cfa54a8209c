import type { Response } from 'express';
import { LimitReached } from '../../../domain/failures.ts';
import type { MappingTarget } from '../../../domain/support/actions/actions.ts';
import { PROBES_A_MINUTE, probeGrant, type ProbeOutcome } from '../../../domain/support/probe-grant.ts';
import { type PageShell } from '../../site/page-shell.ts';
import type { FormProblems } from '../../site/problems.ts';
import type { StaffAction } from './action-form.ts';
import { backTo, tokenRedirect, mappingIn, tokenFacts } from './action-target.ts';

/** /support/mappings/:id/probe: tests whether the connection of a token works now. */

const NOTICES: Readonly<Record<ProbeOutcome, string>> = {
  works: 'probe-works',
  'not covered': 'probe-not-covered',
  died: 'probe-died',
  'no answer': 'probe-no-answer',
  'unknown client': 'probe-unknown-client',
  'in doubt, served': 'probe-doubt-served',
  'in doubt, refused': 'probe-doubt-refused',
  'in doubt, live': 'probe-doubt-live',
  'in doubt, spent': 'probe-doubt-spent',
  'in doubt, unsure': 'probe-doubt-unsure',
};

function tooFast(res: Response, { retryAfter }: LimitReached): FormProblems {
  const seconds = Math.ceil(retryAfter / 1000);
  res.status(429).set('Retry-After', String(seconds));
  const form = `You tested ${PROBES_A_MINUTE} times within a minute. Wait ${seconds} seconds, then try again.`;
  return { form };
}

const isServed = ({ state, grantId }: MappingTarget) => state === 'active' && grantId !== null;

/** The action `probe`. The outcome is shown on the page of the token and in its history. */
export function probeAction(frame: PageShell): StaffAction<MappingTarget> {
  return {
    path: '/support/mappings/:id/probe',
    needs: 'agent',
    find: (req) => mappingIn(frame, req),
    async ask(target) {
      if (!isServed(target)) return tokenRedirect(target, 'too-late');
      return {
        title: 'Test the connection',
        says: [
          'The bridge asks the new API once, as it would for a call of the app, and says what came of it. While the connection lives, nothing changes and nobody is told.',
          'If the connection turns out to have ended, it is marked as stopped and its holder is told, as at the next call of the app.',
          'While it is not known whether the last refresh arrived, nothing is presented: then only what is safe is asked.',
        ],
        facts: tokenFacts(target),
        button: { label: 'Test it now', isDanger: false },
        back: backTo(target),
      };
    },
    async act({ target, reason, origin }, res) {
      const { mappingId } = target;
      try {
        const outcome = await probeGrant(frame.context, { mappingId, reason, ...origin });
        return tokenRedirect(target, outcome === undefined ? 'too-late' : NOTICES[outcome]);
      } catch (error) {
        if (!(error instanceof LimitReached)) throw error;
        return { problems: tooFast(res, error) };
      }
    },
  };
}
