import type { PostsDeps } from './deps.ts';
import { isCutOver } from '../cut-over/moved-early.ts';
import type { LifecycleEnding } from '../lifecycle/lifecycle.ts';
import { retirementOf } from '../lifecycle/old-backend-for.ts';
import { type ResolvedToken, resolveToken } from '../tokens/resolve-token.ts';
import { isFromBefore, isKnownThere } from '../tokens/standing/from-before.ts';
import { provenApp } from '../tokens/proven-app.ts';
import {
  type Answerer,
  type CallKind,
  type OldApiPhase,
  type TokenOfCall,
  whoAnswers,
} from '../old-calls/who-answers.ts';

/** Decides who answers any old call, from its token and the phase of the old API at one moment. */

export interface AnswerDecision {
  by: Answerer;
  /** Undefined where the call has no token. */
  resolved: ResolvedToken | undefined;
  /** Why the old API is not asked now, although the token would lead there at another time. */
  ending: LifecycleEnding | undefined;
}

function tokenOf(resolved: ResolvedToken | undefined): TokenOfCall {
  if (!resolved) return 'none';
  const { kind, mapping } = resolved;
  if (kind === 'passed') return 'unconnected';
  if (!mapping) return 'unknown';
  if (kind === 'refused')
    return mapping.state === 'unmapped' && isFromBefore(mapping) ? 'unconnected' : 'ended';
  if (!isFromBefore(mapping)) return 'issued';
  return isKnownThere(mapping) ? 'connected' : 'left';
}

/** Read once: the decision and the text of a refusal must describe the same moment. */
function endingFor(context: PostsDeps, resolved: ResolvedToken | undefined): LifecycleEnding | undefined {
  switch (resolved?.kind) {
    case undefined:
      return retirementOf(context, undefined);
    case 'served':
      return retirementOf(context, provenApp(resolved.mapping));
    case 'refused':
      return resolved.ending;
    case 'passed':
    case 'unknown':
      return undefined;
  }
}

function phaseOf({ oldBackend }: PostsDeps, ending: LifecycleEnding | undefined): OldApiPhase {
  if (!oldBackend) return 'none';
  if (!ending) return 'runs';
  return ending.because === 'brownout' ? 'brownout' : 'retired';
}

/**
 * Decides who answers a call with this token, or without one.
 * @throws {TokenRefused | KeyMissing}
 */
export async function decideAnswerer(
  context: PostsDeps,
  call: CallKind,
  token: string | undefined,
): Promise<AnswerDecision> {
  const resolved = token === undefined ? undefined : await resolveToken(context, token);
  const ending = endingFor(context, resolved);
  const by = whoAnswers({
    call,
    token: tokenOf(resolved),
    oldApi: phaseOf(context, ending),
    isCutOver: resolved?.kind === 'served' && isCutOver(resolved.mapping),
  });
  return { by, resolved, ending };
}

const PHASES = ['runs', 'brownout', 'retired', 'none'] as const satisfies readonly OldApiPhase[];

/** The kinds of calls that the new API answers for every token with a grant, whatever the old API does. */
const ALWAYS_NEW: ReadonlySet<CallKind> = new Set(
  (['account', 'queue'] as const).filter((call) =>
    PHASES.every((oldApi) => whoAnswers({ call, token: 'connected', oldApi, isCutOver: false }) === 'new'),
  ),
);

/**
 * Whether the new API certainly answers a call with this token, which a grant serves. False where only the ordinary way
 * can tell.
 */
export function isAnsweredByNew(
  context: PostsDeps,
  call: CallKind,
  mapping: Parameters<typeof isFromBefore>[0] & Parameters<typeof provenApp>[0],
): boolean {
  if (ALWAYS_NEW.has(call)) return true;
  const oldApi = phaseOf(context, retirementOf(context, provenApp(mapping)));
  const token = isFromBefore(mapping) ? 'connected' : 'issued';
  return whoAnswers({ call, token, oldApi, isCutOver: false }) === 'new';
}
