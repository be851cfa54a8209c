import type { IdeaRecord, IdeasData, IdeasFilter } from '../../main-api/ideas/data.ts';
import type { PageSelection } from '../../main-api/operations/paging.ts';
import type { Database } from '../database.ts';

const LIST = `
  select document from ideas
  where organization_id = :organizationId
    and (:groups is null or group_id in (select value from json_each(:groups)))
    and (:membership is null or (group_id is null) = (:membership = 'ungrouped'))
    and (:tags is null
      or id in (
        select tagged.id from ideas as tagged, json_each(tagged.document, '$.content.tags') as tag
        where tagged.organization_id = :organizationId
          and tag.value ->> 'id' in (select value from json_each(:tags)))
      or (:orUntagged = 1 and json_array_length(document, '$.content.tags') = 0))
    and (:createdAt is null or (created_at, id) < (:createdAt, :id))
  order by created_at desc, id desc limit :rows`;

const ADD = `
  insert or ignore into ideas (id, organization_id, group_id, position, created_at, document)
  select :id, :organizationId, :groupId, :position, :createdAt, :document
  where (select count(*) from ideas where organization_id = :organizationId) < :limit`;

const RENUMBER = `
  update ideas set position = place, document = json_set(document, '$.position', place)
  from (
    select id as idea, row_number() over (order by position, id) as place
    from ideas where group_id = ? and position is not null
  )
  where idea = id`;

const listOrNull = (list: string[] | undefined) => (list === undefined ? null : JSON.stringify(list));

function parametersOf(filter: IdeasFilter, { size, after }: PageSelection) {
  return {
    groups: listOrNull(filter.groups),
    membership: filter.membership ?? null,
    tags: listOrNull(filter.tags?.in),
    orUntagged: Number(filter.tags?.isEmpty ?? false),
    createdAt: after?.values[0] ?? null,
    id: after?.id ?? null,
    rows: size + 1,
  };
}

/** Ideas for the main API, and the groups, which only the demo writes. */
export function createIdeas(db: Database) {
  const list = db.prepare<[object], string>(LIST).pluck();
  const add = db.prepare(ADD);
  const group = db.prepare('select 1 from idea_groups where id = ? and organization_id = ?');
  const groups = db.prepare<[string], { id: string; name: string }>(
    'select id, name from idea_groups where organization_id = ? order by rowid',
  );
  const has = db.prepare('select 1 from ideas where id = ? and organization_id = ?');
  const renumber = db.prepare(RENUMBER);
  const addGroup = db.prepare(
    'insert or ignore into idea_groups (id, organization_id, name) values (?, ?, ?)',
  );
  const positions = db.prepare<[string], { id: string; position: number }>(
    'select id, position from ideas where group_id = ? and position is not null order by position, id',
  );
  const data: IdeasData = {
    list: (organizationId, filter, page) =>
      list
        .all({ organizationId, ...parametersOf(filter, page) })
        .map((document): IdeaRecord => JSON.parse(document)),
    add({ id, organizationId, groupId, position, createdAt, ...rest }, limit) {
      const document = JSON.stringify({ id, organizationId, groupId, position, createdAt, ...rest });
      const row = { id, organizationId, groupId, position, createdAt, document, limit };
      return add.run(row).changes === 1;
    },
    write: (work) => db.transaction(work).immediate(),
    has: (organizationId, ideaId) => has.get(ideaId, organizationId) !== undefined,
    isGroup: (organizationId, groupId) => group.get(groupId, organizationId) !== undefined,
    groupsOf: (organizationId) => groups.all(organizationId),
    positionsIn: (groupId) => positions.all(groupId),
    renumber: (groupId) => void renumber.run(groupId),
  };
  return {
    ...data,
    addGroup: (groupId: string, organizationId: string, name: string) =>
      void addGroup.run(groupId, organizationId, name),
  };
}
