import type { Request } from 'express';
import { type ApiKeyFacts, canEnd, endApiKey, readApiKey } from '../../../domain/api-keys/api-key-list.ts';
import { PageError } from '../../pages/page-error.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { NoticeRedirect, StaffAction } from './action-form.ts';

/** /support/api-keys/:id/end: ends the key of a program. */

const PAGE = '/support/api-keys';

async function liveKey({ context }: PageShell, req: Request): Promise<ApiKeyFacts> {
  const key = await readApiKey(context, String(req.params['id']));
  if (key) return key;
  throw new PageError(404, 'There is no such key', {
    reason: 'The address is incomplete or mistyped.',
    next: 'Choose the key on the page “API keys”.',
  });
}

const leaveTo = (notice: string): NoticeRedirect => ({ href: PAGE, notice });

/** The action `end`. */
export function endKeyAction(frame: PageShell): StaffAction<ApiKeyFacts> {
  return {
    path: '/support/api-keys/:id/end',
    needs: 'lead',
    find: (req) => liveKey(frame, req),
    async ask(key) {
      if (!canEnd(key)) return leaveTo('too-late');
      const { name, role, last_used_at: usedAt } = key;
      return {
        title: `End the key “${name}”?`,
        says: ['Its next request is refused. It cannot be taken back: the program needs a new key then.'],
        facts: [
          { term: 'Role', text: role },
          usedAt === null ? { term: 'Last used', text: 'never' } : { term: 'Last used', time: usedAt },
        ],
        button: { label: 'End the key', isDanger: true },
        back: { href: PAGE, label: 'API keys' },
      };
    },
    async act({ target, reason, origin }) {
      const isEnded = await endApiKey(frame.context, { id: target.id, reason, ...origin });
      return leaveTo(isEnded ? 'api-key-ended' : 'too-late');
    },
  };
}
