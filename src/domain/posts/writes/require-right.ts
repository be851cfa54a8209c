import type { Context } from '../../context.ts';
import { requireScope } from '../scope-missing.ts';
import type { WriteEnd, Writer } from './writes.ts';

/**
 * What an answer of FORBIDDEN means: the rights of the grant may have become fewer since it was asked for them. Where it has
 * the right, the account itself may not do it, and no wider consent would help.
 * @throws {ScopeMissing}
 */
export async function requireRight(context: Context, { mapping }: Writer, end: WriteEnd): Promise<void> {
  if (end.kind === 'refused' && end.refusal.kind === 'Forbidden')
    await requireScope(context, mapping, 'posts:write');
}
