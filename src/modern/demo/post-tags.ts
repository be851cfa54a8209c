import type { TagRecord } from '../main-api/posts/data.ts';
import { BAKERY, RECORDS, RUNNERS } from './organizations.ts';

type TagSeed = readonly [organizationId: string, name: string, color: string];

const described: TagSeed[] = [
  [BAKERY, 'everyday', '#8C6A4F'],
  [BAKERY, 'breads', '#C9822B'],
  [BAKERY, 'cakes', '#D64550'],
  [BAKERY, 'orders', '#2F6FDE'],
  [BAKERY, 'team', '#3A9D5D'],
  [BAKERY, 'behind the counter', '#7A4FBF'],
  [RUNNERS, 'weekly run', '#3A9D5D'],
  [RUNNERS, 'training', '#2F6FDE'],
  [RUNNERS, 'half marathon', '#D64550'],
  [RECORDS, 'new in', '#2F6FDE'],
];

/** The tags of the demo organizations. No two tags have the same name. */
export const demoTags: TagRecord[] = described.map(([organizationId, name, color], index) => ({
  id: `5e1f0c9a7b3d4e2f8a6c6e${(index + 1).toString(16).padStart(2, '0')}`,
  organizationId,
  name,
  color,
  isLocked: false,
}));
