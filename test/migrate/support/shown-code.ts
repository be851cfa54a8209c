import type { ProgramLanguage } from '../../../src/domain/new-calls/program-language.ts';

/** The examples as they stand on a page of calls, read from its HTML. */

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };

/** What an example is run as: WordPress has a set-up of its own, and the calls of PHP. */
export type ExampleKind = ProgramLanguage | 'wordpress';

/** The language of the calls. */
export const languageFor = (kind: ExampleKind): ProgramLanguage => (kind === 'wordpress' ? 'php' : kind);

const LABELS: Readonly<Record<ExampleKind, string>> = {
  curl: 'curl',
  php: 'PHP',
  wordpress: 'WordPress, with the calls in PHP',
  typescript: 'TypeScript',
  python: 'Python',
};

/** The part of a page below the heading with this id, in one language. */
function partOf(html: string, id: string, language: ExampleKind): string {
  const section = html.split(`aria-labelledby="${id}"`)[1]?.split('</section>')[0] ?? '';
  return section.split(`<summary>${LABELS[language]}</summary>`)[1]?.split('</details>')[0] ?? '';
}

function codesIn(part: string): string[] {
  return [...part.matchAll(/<pre><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, code = '']) =>
    code.replace(/&(#?\w+);/g, (_, name: string) => ENTITIES[name] ?? `&${name};`),
  );
}

/** What a program has before its calls. */
export function setUpOf(html: string, language: ExampleKind): string {
  return codesIn(partOf(html, 'set-up', language)).join('\n');
}

/** The old call at an anchor, and the steps of the new one. */
export function codeAt(
  html: string,
  anchor: string,
  language: ExampleKind,
): { old: string; steps: string[] } {
  const [old = '', ...steps] = codesIn(partOf(html, anchor, languageFor(language)));
  return { old, steps };
}
