import type { IncomingMessage } from 'node:http';
import type { LegacyDeps } from '../deps.ts';
import { OLD_CALLS } from '../../../domain/old-calls/old-calls.ts';
import { isAnsweredByNew } from '../../../domain/posts/decide.ts';
import { type FirstPageCall, toldList, toldListOf } from '../../../domain/posts/told-lists.ts';
import { type PlainToken, toldCallOf, toldProfiles } from '../../../domain/posts/told-profiles.ts';
import { andThen, type Soon } from '../../../shared/and-then.ts';
import { Note } from '../../../shared/memory/note.ts';
import { Parameters } from '../../wire/request-parameters.ts';
import { mergedPairs } from '../posts/call-pairs.ts';
import { type ListParameters, listParametersIn } from '../posts/list-parameters.ts';
import { wantsSubprofiles } from '../subprofiles.ts';
import type { FoundAddress } from './plain-address.ts';

/** The texts that the short way may answer with. */

export interface KeptText {
  mapping: PlainToken;
  /** The text; undefined where the ordinary way has to make it. */
  text: () => Soon<string | undefined>;
  /** Whether the text that the ordinary way makes is to be kept. */
  isKept: boolean;
}

/** Finds a token with its text; undefined for a token that no grant serves. */
type TextFinder = (context: LegacyDeps, token: string) => Soon<KeptText | undefined>;

export interface CallParameters {
  query: Parameters;
  /** The parameters of a form in the body, if there is one. */
  form: Parameters | undefined;
}

const profilesText: TextFinder = (context, token) =>
  andThen(toldCallOf(context, token), (told) =>
    told && isAnsweredByNew(context, OLD_CALLS.profiles.kind, told)
      ? { mapping: told, text: () => toldProfiles(context, told), isKept: true }
      : undefined,
  );

const listText =
  (call: FirstPageCall): TextFinder =>
  (context, token) =>
    andThen(toldListOf(context, token, call), (told) => {
      if (!told || !isAnsweredByNew(context, OLD_CALLS.pendingUpdates.kind, told)) return undefined;
      const { text, isKept } = toldList(context, told, call);
      return { mapping: told, text: () => text, isKept };
    });

/** The call for a list, as far as a text of it is kept: the first page of the whole list. */
export function firstPageOf(
  { list, id }: Pick<FirstPageCall, 'list' | 'id'>,
  { page, since, count, isUtc }: ListParameters,
): FirstPageCall | undefined {
  return page === 1 && since === 0 ? { list, id, count, isUtc } : undefined;
}

function parametersOf({ query, form }: CallParameters): Parameters {
  return form ? Parameters.ofPairs(mergedPairs(form.pairs(), query)) : query;
}

/**
 * Finds the text of a call; undefined for a call with parameters of which no text is kept.
 * @throws {LegacyError} a parameter is out of bounds
 */
export function textFinderOf(
  { address: { list }, id }: FoundAddress,
  parameters: CallParameters,
): TextFinder | undefined {
  if (list === undefined) return wantsSubprofiles(parameters.query) ? undefined : profilesText;
  const call = firstPageOf({ list, id }, listParametersIn(parametersOf(parameters)));
  return call && listText(call);
}

const missed = new Note<IncomingMessage, true>();

/** Marks a call that would have been answered on the short way, if its text had been kept. */
export function markMissed(req: IncomingMessage): void {
  missed.set(req, true);
}

/** Whether the call would have been answered on the short way, if its text had been kept. */
export function wantsKept(req: IncomingMessage): boolean {
  return missed.get(req) === true;
}
