import type { SnippetRecord, SnippetsData } from '../../main-api/snippets/data.ts';
import type { Database } from '../database.ts';

const COLUMNS =
  'id, organization_id as organizationId, name, text, created_at as createdAt, updated_at as updatedAt';

const ADD = `
  insert or ignore into snippets (id, organization_id, name, text, created_at, updated_at)
  select :id, :organizationId, :name, :text, :createdAt, :updatedAt
  where (select count(*) from snippets where organization_id = :organizationId) < :limit`;

const UPDATE = `
  update snippets set name = coalesce(:name, name), text = coalesce(:text, text), updated_at = :updatedAt
  where id = :id returning ${COLUMNS}`;

export function createSnippets(db: Database): SnippetsData {
  const list = db.prepare<[string], SnippetRecord>(
    `select ${COLUMNS} from snippets where organization_id = ? order by created_at, id`,
  );
  const find = db.prepare<[string], SnippetRecord>(`select ${COLUMNS} from snippets where id = ?`);
  const add = db.prepare(ADD);
  const update = db.prepare<[object], SnippetRecord>(UPDATE);
  const remove = db.prepare('delete from snippets where id = ?');
  return {
    list: (organizationId) => list.all(organizationId),
    find: (snippetId) => find.get(snippetId),
    add: (record, limit) => add.run({ ...record, limit }).changes === 1,
    update: (snippetId, { name, text }, updatedAt) =>
      update.get({ id: snippetId, name: name ?? null, text: text ?? null, updatedAt }),
    remove: (snippetId) => remove.run(snippetId).changes === 1,
  };
}
