import { POSTGRES_BACKUP } from '../../src/cli/commands/database/postgres-copies.ts';
import { readDocument } from '../support/guidance.ts';

/** The command prints the recipe of the document. */

/** The command of a line, without its comment and without the values of its variables. */
const commandOf = (line: string) =>
  line
    .replace(/\s+#.*/, '')
    .replaceAll(/(PG\w+)=\S+/g, '$1')
    .trim();

test('backup prints every line of the document for PostgreSQL, in its order', () => {
  const [, block = ''] =
    /## PostgreSQL[^]*?```\n([^]*?)\n\n/.exec(readDocument('docs/operate/backup.md')) ?? [];
  const { commands } = POSTGRES_BACKUP.json as { commands: string[] };
  expect(commands.map(commandOf)).toEqual(block.split('\n').map(commandOf));
});
