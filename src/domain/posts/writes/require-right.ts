import type { PostsDeps } from '../deps.ts';
import { requireScope } from '../scope-missing.ts';
import type { WriteEnd, Writer } from './writes.ts';

/**
 * Explains an answer of FORBIDDEN. The grant may have lost its scope since the check. If the grant still has the scope,
 * the account itself lacks the right, and a wider consent would not help.
 * @throws {ScopeMissing}
 */
export async function requireRight(context: PostsDeps, { mapping }: Writer, end: WriteEnd): Promise<void> {
  if (end.kind === 'refused' && end.refusal.kind === 'Forbidden')
    await requireScope(context, mapping, 'posts:write');
}
