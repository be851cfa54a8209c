/**
 * The posts of the main API: all that is known of a post between its arguments and its record. Rows are the store's
 * (store/posts/posts.ts), scopes are checked in scope-check.ts and root.ts, and nothing here ever talks to a network.
 *
 * - Asking: list.ts (`posts`, `post`) with cursor.ts for its pages.
 * - Changing: create.ts, edit.ts and delete.ts, each one transaction. The first two make a plan; plan.ts has it checked
 *   and gives it a time, or refuses (refusal.ts).
 * - What is allowed: requirements.ts (channel, tags, idea, room in the plan and on the day), rules.ts with
 *   annotations.ts (any content), networks.ts (what one service asks for) with the limits of ../networks.
 * - When: timing.ts turns the wish for a time into one, queue.ts knows the free times of a posting schedule, and
 *   ../queue the places of posts among each other.
 * - Shapes: inputs.ts is what comes in, merged-metadata.ts what an edit leaves of what was, data.ts what is kept.
 *   present.ts is what goes out, with present-assets.ts, present-metadata.ts, present-google.ts and
 *   youtube-categories.ts for its parts.
 */
import { createPost } from './create.ts';
import { deletePost } from './delete.ts';
import { editPost } from './edit.ts';
import { postQueries } from './list.ts';

export const postOperations = { ...postQueries, createPost, editPost, deletePost };
