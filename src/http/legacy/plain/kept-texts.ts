import type { IncomingMessage } from 'node:http';
import type { LegacyDeps } from '../deps.ts';
import { OLD_CALLS } from '../../../domain/old-calls/old-calls.ts';
import { isAnsweredByNew } from '../../../domain/posts/decide.ts';
import type { CurrentText } from '../../../domain/posts/fresh-text.ts';
import { type FirstPageCall, toldList, toldListOf } from '../../../domain/posts/told-lists.ts';
import { type PlainToken, toldCallOf, toldProfiles } from '../../../domain/posts/told-profiles.ts';
import { toldUser, toldUserOf } from '../../../domain/posts/told-user.ts';
import { andThen, type Soon } from '../../../shared/and-then.ts';
import { Note } from '../../../shared/memory/note.ts';
import { Parameters } from '../../wire/request-parameters.ts';
import { mergedPairs } from '../posts/call-pairs.ts';
import { type ListParameters, listParametersIn } from '../posts/list-parameters.ts';
import { wantsSubprofiles } from '../subprofiles.ts';
import type { FoundAddress } from './plain-address.ts';

/** The texts that the short way may answer with. */

interface FoundText {
  /** The text; undefined where the ordinary way has to make it. */
  text: string | undefined;
  /** The age of a last known answer in whole seconds; absent where the answer is fresh. */
  age?: number | undefined;
  /** Whether the text that the ordinary way makes is to be kept. */
  isKept: boolean;
}

export interface KeptText {
  mapping: PlainToken;
  /** @throws {LegacyError} a parameter is out of bounds */
  find: () => FoundText;
}

export interface CallParameters {
  query: Parameters;
  /** The parameters of a form in the body, if there is one. */
  form: Parameters | undefined;
}

const NEVER_KEPT: FoundText = { text: undefined, isKept: false };

/** A text that is made of the answer about the account alone. */
const ofAccount = (current: CurrentText | undefined): FoundText => ({
  text: current?.text,
  age: current?.age,
  isKept: true,
});

function profilesText(
  context: LegacyDeps,
  token: string,
  { query }: CallParameters,
): Soon<KeptText | undefined> {
  if (wantsSubprofiles(query)) return undefined;
  return andThen(toldCallOf(context, token), (told) => {
    if (!told || !isAnsweredByNew(context, OLD_CALLS.profiles.kind, told)) return undefined;
    return { mapping: told, find: () => ofAccount(toldProfiles(context, told)) };
  });
}

function userText(context: LegacyDeps, token: string): Soon<KeptText | undefined> {
  return andThen(toldUserOf(context, token), (told) => {
    if (!told || !isAnsweredByNew(context, OLD_CALLS.user.kind, told)) return undefined;
    return { mapping: told, find: () => ofAccount(toldUser(context, told)) };
  });
}

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

/** A stranger may send very many parameters: they are read once the token is known. */
function listText(
  context: LegacyDeps,
  token: string,
  { named, parameters }: { named: Pick<FirstPageCall, 'list' | 'id'>; parameters: CallParameters },
): Soon<KeptText | undefined> {
  return andThen(toldListOf(context, token, named), (told) => {
    if (!told || !isAnsweredByNew(context, OLD_CALLS.pendingUpdates.kind, told)) return undefined;
    const find = () => {
      const call = firstPageOf(named, listParametersIn(parametersOf(parameters)));
      return call ? toldList(context, told, call) : NEVER_KEPT;
    };
    return { mapping: told, find };
  });
}

/** Finds a token with its text; undefined for a token that no grant serves, and for a call of which no text is kept. */
export function keptTextOf(
  context: LegacyDeps,
  token: string,
  { found, parameters }: { found: FoundAddress; parameters: CallParameters },
): Soon<KeptText | undefined> {
  const { address, id } = found;
  if (address.name === 'user') return userText(context, token);
  if (address.list === undefined) return profilesText(context, token, parameters);
  return listText(context, token, { named: { list: address.list, id }, parameters });
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
