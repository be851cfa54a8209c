/** YouTube's own numbers and titles of the categories in which a channel may post. */
const titles: ReadonlyMap<string, string> = new Map([
  ['1', 'Film & Animation'],
  ['2', 'Autos & Vehicles'],
  ['10', 'Music'],
  ['15', 'Pets & Animals'],
  ['17', 'Sports'],
  ['19', 'Travel & Events'],
  ['20', 'Gaming'],
  ['22', 'People & Blogs'],
  ['23', 'Comedy'],
  ['24', 'Entertainment'],
  ['25', 'News & Politics'],
  ['26', 'Howto & Style'],
  ['27', 'Education'],
  ['28', 'Science & Technology'],
  ['29', 'Nonprofits & Activism'],
]);

export const youtubeCategory = (categoryId: string | null | undefined) =>
  typeof categoryId === 'string' ? { categoryId, title: titles.get(categoryId) ?? categoryId } : null;
