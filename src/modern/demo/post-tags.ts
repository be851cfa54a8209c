import type { TagRecord } from '../main-api/posts/data.ts';
import { BAKERY, RECORDS, RUNNERS } from './organizations.ts';

type Described = readonly [organizationId: string, name: string, color: string, colorName: string];

const described: Described[] = [
  [BAKERY, 'everyday', '#8C6A4F', 'brown'],
  [BAKERY, 'breads', '#C9822B', 'amber'],
  [BAKERY, 'cakes', '#D64550', 'red'],
  [BAKERY, 'orders', '#2F6FDE', 'blue'],
  [BAKERY, 'team', '#3A9D5D', 'green'],
  [BAKERY, 'behind the counter', '#7A4FBF', 'purple'],
  [RUNNERS, 'weekly run', '#3A9D5D', 'green'],
  [RUNNERS, 'training', '#2F6FDE', 'blue'],
  [RUNNERS, 'half marathon', '#D64550', 'red'],
  [RECORDS, 'new in', '#2F6FDE', 'blue'],
];

/** The tags of the demo organizations; no two have the same name. */
export const demoTags: TagRecord[] = described.map(([organizationId, name, color, colorName], index) => ({
  id: `5e1f0c9a7b3d4e2f8a6c6e${(index + 1).toString(16).padStart(2, '0')}`,
  organizationId,
  name,
  color,
  colorName,
  isLocked: false,
}));
