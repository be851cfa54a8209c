import type { Scope } from '../../scopes.ts';

interface Operation {
  /** What an access token needs. Which scope stands for which operation is not published; all of this is inferred. */
  scope: Scope;
  /** The member of a mutation's payload union that says "this failed on our side". */
  failure?: 'UnexpectedError' | 'VoidMutationError';
  /** Personal API keys may, apps may not, whatever their scopes [recorded]. */
  keysOnly?: true;
}

/**
 * Every root field of the schema with the scope it needs. The one place where scopes meet
 * operations; root.ts refuses to start when this table and the schema differ.
 *
 * A scope opens a root field with all that hangs below it: the channel and the author of a post are part of the post as
 * the real service serves it, so posts:read shows them without account:read. [inferred]
 */
export const operations = {
  account: { scope: 'account:read' },
  channels: { scope: 'account:read' },
  channel: { scope: 'account:read' },
  updateAccount: { scope: 'account:write', failure: 'UnexpectedError' },
  ideas: { scope: 'ideas:read' },
  ideaGroups: { scope: 'ideas:read' },
  createIdea: { scope: 'ideas:write', failure: 'UnexpectedError' },
  snippets: { scope: 'snippets:read' },
  snippet: { scope: 'snippets:read' },
  createSnippet: { scope: 'snippets:write', failure: 'UnexpectedError' },
  updateSnippet: { scope: 'snippets:write', failure: 'UnexpectedError' },
  deleteSnippet: { scope: 'snippets:write', failure: 'VoidMutationError' },
  posts: { scope: 'posts:read' },
  dailyPostingLimits: { scope: 'posts:read' },
  post: { scope: 'posts:read' },
  aggregatedPostMetrics: { scope: 'posts:read', keysOnly: true },
  createPost: { scope: 'posts:write', failure: 'UnexpectedError' },
  editPost: { scope: 'posts:write', failure: 'UnexpectedError' },
  deletePost: { scope: 'posts:write', failure: 'VoidMutationError' },
  movePostInQueue: { scope: 'posts:write', failure: 'VoidMutationError' },
  postTemplate: { scope: 'posts:read' },
  postTemplates: { scope: 'posts:read' },
  createPostTemplate: { scope: 'posts:write', failure: 'VoidMutationError' },
  updatePostTemplate: { scope: 'posts:write', failure: 'VoidMutationError' },
  deletePostTemplate: { scope: 'posts:write', failure: 'VoidMutationError' },
} as const satisfies Record<string, Operation>;
