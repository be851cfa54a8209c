import type { DirectoryData } from './directory.ts';
import type { IdeasData } from './ideas/data.ts';
import type { PostsData } from './posts/data.ts';
import type { SnippetsData } from './snippets/data.ts';

/** What the main API reads and writes. */
export interface MainApiData extends DirectoryData {
  posts: PostsData;
  ideas: IdeasData;
  snippets: SnippetsData;
}
