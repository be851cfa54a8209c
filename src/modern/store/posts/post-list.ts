import type { PageBoundary } from '../../main-api/operations/paging.ts';
import type { PostRecord, PostsFilter, PostsQuery, SortKey, TimeWindow } from '../../main-api/posts/data.ts';
import type { Database } from '../database.ts';
import { POST_COLUMNS, type PostRow, toPost } from './post-rows.ts';

/** A condition in SQL with the values of its question marks. */
interface Condition {
  sql: string;
  values: (string | number)[];
}

/** A post without a time sorts before all times, as in the index posts_by_time. */
const expressions = { createdAt: 'created_at', dueAt: 'ifnull(due_at, -1)' } as const;

const condition = (sql: string, ...values: (string | number)[]): Condition => ({ sql, values });

/** Binds one value, however long the list is. */
const among = (expression: string, list: string[]) =>
  condition(`${expression} in (select value from json_each(?))`, JSON.stringify(list));

/** The subquery does not refer to the post: SQLite reads the list once for the whole query. */
const tagged = (tagIds: string[]) =>
  condition(
    'posts.id in (select post_id from post_tags where tag_id in (select value from json_each(?)))',
    JSON.stringify(tagIds),
  );

const HAS_TAGS = 'exists (select 1 from post_tags where post_id = posts.id)';

function taggedOrEmpty({ in: tagIds, isEmpty }: { in: string[]; isEmpty: boolean }): Condition {
  const { sql, values } = tagged(tagIds);
  return isEmpty ? condition(`(${sql} or not ${HAS_TAGS})`, ...values) : { sql, values };
}

/** Also excludes posts without a time. */
const within = (column: string, { start, end }: TimeWindow) =>
  condition(`${column} between ? and ?`, start ?? 0, end ?? Number.MAX_SAFE_INTEGER);

function touchedIn(window: TimeWindow): Condition {
  const created = within('created_at', window);
  const due = within('due_at', window);
  return condition(`(${created.sql} or ${due.sql})`, ...created.values, ...due.values);
}

/** The condition for a given part of the filter. An absent part has no condition. */
const when = <T>(given: T | undefined, make: (value: T) => Condition) =>
  given === undefined ? [] : [make(given)];

const filterConditions = (filter: PostsFilter): Condition[] => [
  ...when(filter.channelIds, (ids) => among('channel_id', ids)),
  ...when(filter.status, (statuses) => among('status', statuses)),
  ...when(filter.tags, taggedOrEmpty),
  ...when(filter.tagIds, tagged),
  ...when(filter.dueAt, (window) => within('due_at', window)),
  ...when(filter.createdAt, (window) => within('created_at', window)),
  ...when(filter.sentAt, (window) => within('sent_at', window)),
  ...when(filter.touched, touchedIn),
  ...when(filter.hasDueAt, (isSet) => condition(`due_at is ${isSet ? 'not ' : ''}null`)),
];

interface Column {
  expression: string;
  direction: 'asc' | 'desc';
}

/**
 * The id orders posts whose keys are equal. The id has the direction of the last key: an index can then serve the
 * order.
 */
function orderOf(sort: SortKey[]): Column[] {
  const columns = sort.map(({ field, direction }) => ({ expression: expressions[field], direction }));
  return [...columns, { expression: 'id', direction: columns.at(-1)?.direction ?? 'desc' }];
}

/** All rows behind a place: later in the first column, or equal in the first column and behind in the rest. */
function behind([column, ...columns]: Column[], [value = '', ...values]: (string | number)[]): Condition {
  if (!column) return condition('false');
  const { expression, direction } = column;
  const further = direction === 'asc' ? '>' : '<';
  const rest = behind(columns, values);
  return condition(
    // The first comparison is redundant, but lets SQLite start in the index at the beginning of the page.
    `${expression} ${further}= ? and (${expression} ${further} ? or (${expression} = ? and ${rest.sql}))`,
    value,
    value,
    value,
    ...rest.values,
  );
}

const behindPlace = (order: Column[], { values, id }: PageBoundary) => behind(order, [...values, id]);

const conditionsFor = (organizationId: string, filter: PostsFilter): Condition[] => [
  condition('organization_id = ?', organizationId),
  ...filterConditions(filter),
];

const allOf = (conditions: Condition[]) => ({
  sql: conditions.map(({ sql }) => sql).join(' and '),
  values: conditions.flatMap(({ values }) => values),
});

/** Counts the posts of an organization for which the filter holds. */
export function createPostCount(db: Database) {
  return (organizationId: string, filter: PostsFilter): number => {
    const { sql, values } = allOf(conditionsFor(organizationId, filter));
    const count = db.prepare<(string | number)[], number>(`select count(*) from posts where ${sql}`);
    return count.pluck().get(...values) ?? 0;
  };
}

/** Reads a stretch of the posts of an organization, in the requested order. */
export function createPostList(db: Database) {
  return ({ organizationId, filter, sort, after, limit }: PostsQuery): PostRecord[] => {
    const order = orderOf(sort);
    const where = allOf([
      ...conditionsFor(organizationId, filter),
      ...when(after, (place) => behindPlace(order, place)),
    ]);
    const sql = `select ${POST_COLUMNS} from posts where ${where.sql}
      order by ${order.map(({ expression, direction }) => `${expression} ${direction}`).join(', ')} limit ?`;
    return db
      .prepare<(string | number)[], PostRow>(sql)
      .all(...where.values, limit)
      .map(toPost);
  };
}
