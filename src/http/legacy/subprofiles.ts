import type { Request, Response } from 'express';
import type { LegacyDeps } from './deps.ts';
import { type Board, knownBoards } from '../../domain/posts/lists/known-boards.ts';
import type { AccountWithAge } from '../../domain/reads/read-account.ts';
import { accountReadBy } from '../../domain/posts/scope-missing.ts';
import type { ServedMapping } from '../../domain/tokens/resolve-token.ts';
import { yesOrNo } from '../../domain/translation/call-fields.ts';
import { type Parameters, queryParameters } from '../wire/request-parameters.ts';
import { tellAge } from './posts/age.ts';

/** The boards of Pinterest profiles. The old API called a board a subprofile. */

/** Whether a call asks for boards. An unreadable value was never refused. It asks for no boards. */
export function wantsSubprofiles(query: Parameters): boolean {
  return yesOrNo(query.get('subprofiles') ?? '') === true;
}

/** `id` is a value for `subprofile_ids` of a create call. */
const subprofileOf = ({ serviceId, name }: Board) => ({ id: serviceId, name, service: 'pinterest' });

type SubprofileLookup = (channel: AccountWithAge['channels'][number]) => { subprofiles?: object[] };

/** The additional fields of a profile for a caller that asks for boards. No other call reads boards. */
export async function subprofilesFor(
  context: LegacyDeps,
  { mapping, reading }: { mapping: ServedMapping; reading: Pick<AccountWithAge, 'channels'> },
  { req, res }: { req: Request; res: Response },
): Promise<SubprofileLookup> {
  if (!wantsSubprofiles(queryParameters(req))) return () => ({});
  const answer = await accountReadBy(context, mapping, (grant) => knownBoards(context, grant, reading));
  tellAge(context, res, answer);
  return ({ id }) => {
    const boards = answer.boards[id];
    return boards ? { subprofiles: boards.map(subprofileOf) } : {};
  };
}
