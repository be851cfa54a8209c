import type { ModernStore } from '../store/store.ts';
import { BAKERY } from './organizations.ts';
import { demoPeople } from './people.ts';

const described = [
  {
    visibility: 'internal',
    title: 'Fresh today',
    body: 'Fresh from the oven since {{time}}: {{bread}}. Until it is gone.',
    description: 'What lies on the counter this morning.',
    emoji: '\u{1F35E}',
  },
  {
    visibility: 'private',
    title: 'We are looking for you',
    body: 'We have a place for {{job}}. Early mornings, warm ovens, good company. Come by or write to us.',
    description: 'A place to fill.',
    emoji: '\u{1F468}\u200D\u{1F373}',
  },
] as const;

/** Two templates of the first person: a template for the organization, and a private template. */
export function seedPostTemplates({ postTemplates }: ModernStore): void {
  const accountId = demoPeople[0].account.id;
  for (const [index, plan] of described.entries()) {
    const time = Date.UTC(2026, 8, index + 1, 8);
    const id = `5e1f0c9a7b3d4e2f8a6c4d0${index + 1}`;
    postTemplates.add(
      { id, organizationId: BAKERY, accountId, ...plan, createdAt: time, updatedAt: time },
      Number.MAX_SAFE_INTEGER,
    );
  }
}
