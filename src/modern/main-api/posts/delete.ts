import type { ApiContext } from '../context.ts';
import { ownPost } from './list.ts';

/**
 * Deletes a post of the caller in any status. An unknown post, or a post of another account, is a VoidMutationError.
 */
export function deletePost({ input: { id } }: { input: { id: string } }, context: ApiContext) {
  const { posts } = context.data;
  return posts.write(Date.now(), () => {
    if (!ownPost(context, id)) return { __typename: 'VoidMutationError', message: 'Post not found' };
    posts.remove(id);
    return { __typename: 'DeletePostSuccess', id };
  });
}
