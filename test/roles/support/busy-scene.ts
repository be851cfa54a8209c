import { dayOf } from '../../../src/shared/moments.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { waitingToken } from '../../owners/support/people.ts';
import type { System } from '../../support/bridge/system.ts';
import { accountOf } from './people.ts';
import type { Scene } from './scene.ts';

const TOKENS = 24;
const DAYS = 30;

const KINDS = [
  { endpoint: 'profiles', carrier: 'header', user_agent: 'old-cron/1.0 (+https://old-app.example)' },
  { endpoint: 'user', carrier: 'query', user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101' },
  { endpoint: 'other', carrier: 'body', user_agent: 'curl/8.5.0' },
] as const;

/** A month of calls with some dozens of tokens in some states, so that pages have what they show in earnest. */
export async function fillScene(system: System, { clientId }: Scene): Promise<void> {
  const { store, clock } = system.bridge.context;
  const app = { clientId, clientSecret: '', callback: '' };
  const states = ['unmapped', 'reauthorization_required', 'revoked', 'migrated'] as const;
  for (let made = 0; made < TOKENS; made++) {
    const state = states[made % states.length] ?? 'unmapped';
    const { id } = await waitingToken(system, { app, accountId: accountOf('holder'), state });
    const rows = Array.from({ length: DAYS }, (_, ago) => {
      const at = clock.now() - ago * DAY;
      return KINDS.map((kind) => ({
        ...kind,
        mapping_id: id,
        day: dayOf(at),
        outcome: made % 3 === 0 ? 'refused' : 'old',
        calls: 10 + ((made * 7 + ago * 13) % 90),
        last_at: at,
      }));
    });
    await store.volatile.insertInto('usage').values(rows.flat()).execute();
  }
}
