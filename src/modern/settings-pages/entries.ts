/** Checks the entries of people in the forms. */
import { newOpaqueValue } from '../../shared/ids.ts';
import { hidesCharacters, isLegible } from '../text-rules.ts';
import type { Visit } from './visit.ts';

const MAX_NAME = 60;

/** A random value for the hidden field `form` of a page whose form creates something. */
export const newForm = newOpaqueValue;

/** The hidden field `form`. Undefined when the value does not look like a value of `newForm`. */
export function formOf({ form }: Visit): string | undefined {
  const value = form['form'] ?? '';
  return /^[\w-]{43}$/.test(value) ? value : undefined;
}

export interface FormEntry<T> {
  /** The text as entered, for showing the form again. */
  entered: string;
  value?: T;
  problem?: string;
}

/** A name of 1 to 60 characters. Spaces around the name do not count. */
export function readName({ form }: Visit): FormEntry<string> {
  const entered = (form['name'] ?? '').trim();
  if (entered === '') return { entered, problem: 'Enter a name.' };
  const length = Array.from(entered).length;
  if (length > MAX_NAME)
    return { entered, problem: `The name has ${length} characters; at most ${MAX_NAME} are allowed.` };
  if (hidesCharacters(entered))
    return { entered, problem: 'The name contains a character that cannot be seen. Type it again by hand.' };
  if (!isLegible(entered)) return { entered, problem: 'The name needs a letter, a digit or an emoji.' };
  return { entered, value: entered };
}
