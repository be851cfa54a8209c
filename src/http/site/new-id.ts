import type { SiteDeps } from './deps.ts';
import { newHexId } from '../../shared/ids.ts';
import { formToken, isFormToken } from '../signin/browser-cookie.ts';

/**
 * The hidden field `new_id` of a form that creates a thing: the id of the future thing, made when the page is shown. A
 * form that is sent twice then creates one thing, and nobody can choose an id.
 */

const textOf = (reader: string, id: string) => `new|${reader}|${id}`;

/** A new id, valid for this reader alone; `reader` is the id of `readerOf`. */
export function newIdField({ vault }: SiteDeps, reader: string): string {
  const id = newHexId();
  return `${id}.${formToken(vault.session(), textOf(reader, id))}`;
}

/** The id in the field; undefined where the field was not made here, or was made for another person. */
export function readNewId(
  { vault }: SiteDeps,
  reader: string,
  field: string | undefined,
): string | undefined {
  const [id = '', proof] = (field ?? '').split('.');
  return isFormToken(vault.session(), textOf(reader, id), proof) ? id : undefined;
}
