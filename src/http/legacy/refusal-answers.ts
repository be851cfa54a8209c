import { GrantDead, LimitReached, ScopeMissing, TokenRefused } from '../../domain/failures.ts';
import { PageOutOfReach } from '../../domain/posts/lists/read-list.ts';
import { FieldRefused } from '../../domain/translation/call-fields.ts';
import { refusalOfField } from '../../domain/translation/old-refusal.ts';
import type { Refusal } from '../../shared/refusals/refusal.ts';
import { LegacyError, REFUSALS, tooManyCalls } from '../wire/legacy-error.ts';
import { inBrownout } from './brownout-text.ts';
import type { LegacyDeps } from './deps.ts';
import { outOfBounds } from './posts/list-parameters.ts';

/** What an old client gets for each refusal of a use case. */

type RefusalAnswer = (refusal: Refusal, context: LegacyDeps) => LegacyError | undefined;

/** The answer to refusals of one type. */
function answerTo<Type extends Refusal>(
  type: new (...parts: never[]) => Type,
  answer: (refusal: Type, context: LegacyDeps) => LegacyError,
): RefusalAnswer {
  return (refusal, context) => (refusal instanceof type ? answer(refusal, context) : undefined);
}

function invalidToken({ reauthorize, brownout }: TokenRefused, context: LegacyDeps): LegacyError {
  const refusal = brownout ? inBrownout(context, REFUSALS.invalidToken, brownout) : REFUSALS.invalidToken;
  return new LegacyError(refusal, { extra: reauthorize === undefined ? {} : { reauthorize } });
}

/** Names the parameter that cannot be used. A call that reads can be refused for a parameter too. */
function unusableField(refused: FieldRefused): LegacyError {
  const { status, code, message } = refusalOfField(refused);
  return new LegacyError([status, code, message]);
}

const TOO_FAR = 'one that follows pages that were read before, for it is too far to be reached at once';

const ANSWERS: readonly RefusalAnswer[] = [
  answerTo(TokenRefused, invalidToken),
  answerTo(GrantDead, () => new LegacyError(REFUSALS.invalidToken)),
  answerTo(FieldRefused, unusableField),
  answerTo(PageOutOfReach, () => outOfBounds('page', TOO_FAR)),
  answerTo(LimitReached, ({ retryAfter }) => tooManyCalls(Math.ceil(retryAfter / 1000))),
  answerTo(ScopeMissing, ({ reauthorize }) => new LegacyError(REFUSALS.scope, { extra: { reauthorize } })),
];

/** The answer to a refusal; undefined for a refusal that is meant for other readers. */
export function answerOfRefusal(context: LegacyDeps, refusal: Refusal): LegacyError | undefined {
  for (const answer of ANSWERS) {
    const told = answer(refusal, context);
    if (told) return told;
  }
  return undefined;
}
