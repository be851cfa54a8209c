import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/shared/project-root.ts';

/** src/shared/memory: what is known of one request stands on the request, because a table keeps old requests in memory. */

const TABLE_OF_REQUESTS = /new (Weak(Map|Set)|Set)<(Request|Response|IncomingMessage|ServerResponse)\b/;

const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

test('no table is keyed by requests or answers', () => {
  const tables = sources.filter((name) =>
    TABLE_OF_REQUESTS.test(readFileSync(join(projectRoot, 'src', name), 'utf8')),
  );
  expect(tables).toEqual([]);
});
