import type { ModernStore } from '../store/store.ts';
import { BAKERY, RECORDS, RUNNERS } from './organizations.ts';

const described = [
  [BAKERY, 'Opening hours', 'Open Tuesday to Saturday, 6:30 to 18:00. Sundays 8:00 to 11:00.'],
  [BAKERY, 'Where we are', 'Kastanienallee 12, next to the pharmacy. Tram 4 stops at the door.'],
  [BAKERY, 'Allergens', 'We bake with wheat, rye, nuts and milk. Ask us: every loaf has its list.'],
  [BAKERY, 'Hashtags', '#bakery #sourdough #realbread'],
  [
    RUNNERS,
    'Meeting point',
    'Tuesdays and Thursdays at 18:30 by the boathouse. Everyone sets their own pace.',
  ],
  [RUNNERS, 'First time?', 'Come as you are. The first four runs are free and nobody is left behind.'],
  [RECORDS, 'Shop line', 'New and used vinyl since 1994. Come in and listen.'],
] as const;

/** Six snippets of the first person in her two organizations, and a snippet of the second person. */
export function seedSnippets({ snippets }: ModernStore): void {
  for (const [index, [organizationId, name, text]] of described.entries()) {
    const number = String(index + 1).padStart(2, '0');
    const written = `2026-09-${number}T08:00:00.000Z`;
    const id = `5e1f0c9a7b3d4e2f8a6c5d${number}`;
    snippets.add(
      { id, organizationId, name, text, createdAt: written, updatedAt: written },
      Number.MAX_SAFE_INTEGER,
    );
  }
}
