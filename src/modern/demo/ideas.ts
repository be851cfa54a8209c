import type { IdeaContent, IdeaMedia, IdeaRecord, IdeaTag } from '../main-api/ideas/data.ts';
import type { ModernStore } from '../store/store.ts';
import { BAKERY, RECORDS, RUNNERS } from './organizations.ts';
import { demoTags } from './post-tags.ts';

const SEASONS = { id: '5e1f0c9a7b3d4e2f8a6c7d01', organizationId: BAKERY, name: 'Seasons' };
const BEHIND = { id: '5e1f0c9a7b3d4e2f8a6c7d02', organizationId: BAKERY, name: 'Behind the counter' };
const RACES = { id: '5e1f0c9a7b3d4e2f8a6c7d03', organizationId: RUNNERS, name: 'Races' };

function tagNamed(wanted: string): IdeaTag {
  const found = demoTags.find(({ name }) => name === wanted);
  if (!found) throw new Error(`no demo tag ${wanted}`);
  const { id, name, color } = found;
  return { id, name, color };
}

const breads = tagNamed('breads');
const cakes = tagNamed('cakes');
const team = tagNamed('team');

interface IdeaSeed extends Partial<Omit<IdeaContent, 'date'>> {
  organizationId?: string;
  /** The group, and the position of the idea in the group. */
  at?: [group: { id: string }, position: number];
  daysAgo: number;
  /** Days from the first start to the date of the idea. */
  inDays?: number;
}

const image = (id: string, name: string, alt: string): IdeaMedia => ({
  id,
  url: `https://images.grantbridge.example/ideas/${name}.jpg`,
  alt,
  thumbnailUrl: `https://images.grantbridge.example/ideas/${name}-small.jpg`,
  type: 'image',
  size: 184_320,
  source: null,
});

const described: IdeaSeed[] = [
  {
    title: 'Why sourdough takes two days',
    text: 'Follow one loaf from the starter to the shelf: flour, water, salt and a lot of waiting.',
    tags: [breads],
    services: ['instagram', 'facebook'],
    at: [BEHIND, 1],
    daysAgo: 1,
  },
  {
    title: 'The first Stollen of the year',
    text: 'Photo of the cut through the middle. Ask which ones like it with marzipan.',
    media: [
      image(
        '5e1f0c9a7b3d4e2f8a6c9d01',
        'stollen',
        'A Stollen cut in half on a wooden board, dusted with sugar',
      ),
    ],
    tags: [cakes],
    services: ['instagram'],
    inDays: 10,
    at: [SEASONS, 1],
    daysAgo: 4,
  },
  {
    title: 'Meet Jonas, who starts at 2 a.m.',
    text: 'Three questions, one portrait. What do you listen to while the street is still asleep?',
    tags: [team],
    at: [BEHIND, 2],
    daysAgo: 7,
  },
  {
    text: 'Poll: poppy seed or plum? The winner is on the counter on Saturday.',
    services: ['twitter', 'facebook'],
    daysAgo: 10,
  },
  {
    title: 'Advent calendar of small recipes',
    text: 'One biscuit a day, each fits on a card. Doors 1 to 6 first, then see how they do.',
    tags: [cakes],
    aiAssisted: true,
    at: [SEASONS, 2],
    daysAgo: 14,
  },
  {
    title: 'Yesterday’s bread, three ways',
    text: 'Croutons, bread pudding, breadcrumbs with parsley.',
    tags: [breads],
    daysAgo: 20,
  },
  {
    title: 'Opening hours over the holidays',
    tags: [cakes],
    at: [SEASONS, 3],
    daysAgo: 28,
  },
  {
    organizationId: RUNNERS,
    title: 'Half marathon: the twelve weeks before',
    text: 'One post a week with the plan for Tuesday, Thursday and Sunday.',
    at: [RACES, 1],
    daysAgo: 2,
  },
  {
    organizationId: RUNNERS,
    title: 'Where it is dry when it rains',
    text: 'Five routes under trees and bridges, with a map.',
    media: [image('5e1f0c9a7b3d4e2f8a6c9d02', 'route', 'A path along the river under plane trees')],
    daysAgo: 9,
  },
  {
    organizationId: RUNNERS,
    text: 'Ask the group for their oldest pair of shoes that still runs.',
    daysAgo: 16,
  },
  {
    organizationId: RUNNERS,
    title: 'Volunteers for the night run',
    inDays: 21,
    at: [RACES, 2],
    daysAgo: 24,
  },
  {
    organizationId: RECORDS,
    title: 'Staff picks of the month',
    text: 'Five records, one sentence each.',
    services: ['threads'],
    daysAgo: 6,
  },
  { organizationId: RECORDS, text: 'Which sleeve would you frame?', daysAgo: 13 },
];

const DAY = 86_400;

/** `now` is in Unix seconds. Each idea has a different time of its day. */
function toRecord(now: number, plan: IdeaSeed, index: number): IdeaRecord {
  const { organizationId = BAKERY, at, daysAgo, inDays, ...content } = plan;
  const createdAt = now - daysAgo * DAY - index * 1001;
  return {
    id: `5e1f0c9a7b3d4e2f8a6c6b${String(index + 1).padStart(2, '0')}`,
    organizationId,
    content: {
      title: null,
      text: null,
      media: null,
      tags: [],
      aiAssisted: false,
      services: [],
      date: inDays === undefined ? null : new Date((now + inDays * DAY) * 1000).toISOString(),
      ...content,
    },
    groupId: at?.[0].id ?? null,
    position: at?.[1] ?? null,
    createdAt,
    updatedAt: createdAt,
  };
}

/**
 * Eleven ideas of the first person, some in groups, and two ideas of the second person. The dates count from the first
 * start.
 */
export function seedIdeas({ ideas }: ModernStore): void {
  const now = Math.floor(Date.now() / 1000);
  for (const { id, organizationId, name } of [SEASONS, BEHIND, RACES])
    ideas.addGroup(id, organizationId, name);
  for (const [index, plan] of described.entries())
    ideas.add(toRecord(now, plan, index), Number.MAX_SAFE_INTEGER);
}
