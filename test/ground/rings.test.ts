import { freshDatabase } from '../support/database/database.ts';
import { startPostgres } from '../support/database/postgres.ts';

test.each([
  ['a database of the run', freshDatabase],
  ['a server of its own', startPostgres],
])(
  'the fast ring starts no PostgreSQL: %s is refused, with where such a test belongs',
  async (_what, start) => {
    await expect(start()).rejects.toThrow('a test that needs PostgreSQL stands in X.full.test.ts');
  },
);
