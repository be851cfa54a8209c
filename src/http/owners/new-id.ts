import type { Context } from '../../domain/context.ts';
import { newHexId } from '../../shared/ids.ts';
import { formToken, isFormToken } from '../signin/browser-cookie.ts';
import type { Person } from '../signin/session.ts';

/**
 * The hidden field `new_id` of a form that makes something: the id that it will have, made up when the page is shown. A
 * form that is sent twice then makes one thing, and nobody chooses an id.
 */

const textOf = ({ accountId }: Person, id: string) => `new|${accountId}|${id}`;

/** A new one, for this person alone. */
export function newIdField({ vault }: Context, person: Person): string {
  const id = newHexId();
  return `${id}.${formToken(vault.session(), textOf(person, id))}`;
}

/** The id in the field; undefined when it is none of ours or of somebody else. */
export function readNewId({ vault }: Context, person: Person, field: string | undefined): string | undefined {
  const [id = '', proof] = (field ?? '').split('.');
  return isFormToken(vault.session(), textOf(person, id), proof) ? id : undefined;
}
