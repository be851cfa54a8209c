import type { PostsData, TagRecord } from '../../main-api/posts/data.ts';
import type { Database } from '../database.ts';

type TagRow = Omit<TagRecord, 'isLocked'> & { isLocked: 0 | 1 };

const COLUMNS = 'id, organization_id as organizationId, name, color, is_locked as isLocked';

const toTag = (row: TagRow): TagRecord => ({ ...row, isLocked: row.isLocked === 1 });

/** The tags of organizations, and the tags of each post. */
export function createPostTags(
  db: Database,
): Pick<PostsData, 'addTag' | 'tagsOf' | 'tagsOfOrganization' | 'setTags'> {
  const insert = db.prepare(
    `insert or ignore into tags (id, organization_id, name, color, is_locked)
     values (@id, @organizationId, @name, @color, @isLocked)`,
  );
  const ofOrganization = db.prepare<[string], TagRow>(
    `select ${COLUMNS} from tags where organization_id = ? order by name, id`,
  );
  const ofPost = db.prepare<[string], TagRow>(
    `select ${COLUMNS} from tags join post_tags on tag_id = id where post_id = ? order by name, id`,
  );
  const clear = db.prepare('delete from post_tags where post_id = ?');
  const attach = db.prepare('insert or ignore into post_tags (post_id, tag_id) values (?, ?)');
  return {
    addTag: (tag) => insert.run({ ...tag, isLocked: Number(tag.isLocked) }).changes > 0,
    tagsOf: (postId) => ofPost.all(postId).map(toTag),
    tagsOfOrganization: (organizationId) => ofOrganization.all(organizationId).map(toTag),
    setTags(postId, tagIds): void {
      clear.run(postId);
      for (const tagId of tagIds) attach.run(postId, tagId);
    },
  };
}
