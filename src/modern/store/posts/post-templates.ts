import type {
  PostTemplateRecord,
  PostTemplatesData,
  TemplateReader,
} from '../../main-api/post-templates/data.ts';
import type { Database } from '../database.ts';

const COLUMNS = `id, organization_id as organizationId, account_id as accountId, title, body, description, emoji,
  visibility, created_at as createdAt, updated_at as updatedAt`;

const SEEN = `
  from post_templates where (
    visibility = 'public'
    or (visibility = 'internal' and organization_id = :organizationId)
    or (visibility = 'private' and account_id = :accountId)
  ) and (:visibility is null or visibility = :visibility)`;

const LIST = `
  select ${COLUMNS} ${SEEN} and (:createdAt is null or (created_at, id) < (:createdAt, :id))
  order by created_at desc, id desc limit :rows`;

const ADD = `
  insert into post_templates
    (id, organization_id, account_id, title, body, description, emoji, visibility, created_at, updated_at)
  select :id, :organizationId, :accountId, :title, :body, :description, :emoji, :visibility, :createdAt, :updatedAt
  where (select count(*) from post_templates where organization_id = :organizationId and visibility <> 'public') < :limit`;

const CHANGE = `
  update post_templates set title = :title, body = :body, description = :description, emoji = :emoji,
    visibility = :visibility, updated_at = :updatedAt
  where id = :id`;

const parametersOf = ({ accountId, organizationId, visibility }: TemplateReader) => ({
  accountId,
  organizationId,
  visibility: visibility ?? null,
});

/** Post templates for the main API. */
export function createPostTemplates(db: Database): PostTemplatesData {
  const list = db.prepare<[object], PostTemplateRecord>(LIST);
  const count = db.prepare<[object], number>(`select count(*) ${SEEN}`).pluck();
  const find = db.prepare<[string], PostTemplateRecord>(`select ${COLUMNS} from post_templates where id = ?`);
  const add = db.prepare(ADD);
  const change = db.prepare(CHANGE);
  const remove = db.prepare('delete from post_templates where id = ?');
  return {
    list: (reader, { size, after }) =>
      list.all({
        ...parametersOf(reader),
        createdAt: after?.values[0] ?? null,
        id: after?.id ?? null,
        rows: size + 1,
      }),
    count: (reader) => count.get(parametersOf(reader)) ?? 0,
    find: (templateId) => find.get(templateId),
    add: (record, limit) => add.run({ ...record, limit }).changes === 1,
    change: (record) => void change.run(record),
    remove: (templateId) => remove.run(templateId).changes === 1,
    write: (work) => db.transaction(work).immediate(),
  };
}
