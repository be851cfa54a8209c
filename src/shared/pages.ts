import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Eta } from 'eta';
import { iconAddress } from './icons.ts';
import { projectRoot } from './project-root.ts';

const sharedDirectory = join(projectRoot, 'src', 'shared', 'pages');

export interface PageRenderer {
  /**
   * The whole HTML page of `template` (name without .eta). The layout reads `title` (required) and, if given,
   * `lang` (else `en`), `siteName`, `siteLogo` (an address), `siteLink`, `navigation` (`[{ label, href, current }]`), `scripts` (addresses), `wide`, `isWholeTitle`
   * (the title of the window without the name of the site), `htmxConfig` (JSON) and `versioned` (address -> address that names its content). Every value is escaped.
   */
  render(template: string, data: Record<string, unknown>): string;
  /** A template without the layout, for parts that are put into a page later. */
  part(template: string, data: Record<string, unknown>): string;
}

const OPTIONS = { autoEscape: true, autoTrim: false, cache: true } as const;

/**
 * Finds the includes of a template. Each name is unique, so that a template may stand beside the code that renders the
 * template.
 */
const INCLUDES = /include\('([\w./-]+)'/g;

const isTemplate = (path: string) => path.endsWith('.eta');

/**
 * The templates anywhere below a folder, by their names.
 * @throws {Error} when two templates have the same name
 */
function findTemplates(directory: string): Map<string, string> {
  const found = existsSync(directory) ? readdirSync(directory, { recursive: true }).map(String) : [];
  const paths = found.filter(isTemplate);
  const templates = new Map(paths.map((path) => [basename(path, '.eta'), join(directory, path)]));
  if (templates.size < paths.length) throw new Error(`two templates below ${directory} have the same name`);
  return templates;
}

/**
 * Finds an incomplete installation at the start: a program that was copied in part would serve everything but its
 * pages.
 * @throws {Error} when a folder has no template, or an included template is missing
 */
function requireTemplates(directory: string, templates: ReadonlyMap<string, string>): void {
  if (templates.size === 0) throw new Error(`the templates of the pages are missing: ${directory}`);
  for (const path of templates.values())
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(INCLUDES))
      if (!templates.has(basename(name)))
        throw new Error(`a template that ${path} includes is missing: ${name}`);
}

function createViews(directory: string): Eta {
  const templates = findTemplates(directory);
  requireTemplates(directory, templates);
  const views = new Eta({ views: directory, ...OPTIONS });
  views.resolvePath = (template) => {
    const path = templates.get(basename(template));
    if (path === undefined) throw new Error(`there is no template ${template} below ${directory}`);
    return path;
  };
  return views;
}

/**
 * Server-rendered pages from the .eta files anywhere below a folder, in the common layout of the product. `shared` is
 * given to each page.
 * @throws {Error} when a folder or template is missing
 */
export function createPages(viewsDirectory: string, shared: Record<string, unknown> = {}): PageRenderer {
  const [views, layouts] = [createViews(viewsDirectory), createViews(sharedDirectory)];
  const part: PageRenderer['part'] = (template, data) =>
    views.render(`./${template}`, { ...shared, ...data });
  const [style, icon] = [versioned(STYLE, stylesheet()), iconAddress()];
  return {
    part,
    render(template, data) {
      const body = part(template, data);
      return layouts.render('./layout', {
        lang: 'en',
        siteName: undefined,
        siteLogo: undefined,
        helpUrl: undefined,
        search: undefined,
        isWholeTitle: false,
        navigation: [],
        scripts: [],
        style,
        icon,
        versioned: (address: string) => address,
        ...shared,
        ...data,
        body,
      });
    },
  };
}

/** Where the one style sheet is served. */
const STYLE = '/assets/style.css';

/** The address of an asset, which changes with the content, so that browsers may keep the asset for good. */
export function versioned(address: string, content: string): string {
  return `${address}?v=${createHash('sha256').update(content).digest('base64url').slice(0, 12)}`;
}

/** The parts of the one style sheet, in the order in which they build on each other. */
const STYLES = [
  'base.css',
  'forms.css',
  'content.css',
  'charts.css',
  'app.css',
  'owners.css',
  'support.css',
  'desks.css',
  'tables.css',
  'live.css',
];

/** Comments, and white space at the beginning of a line, are for those who read the sources. */
const FOR_READERS = /\/\*[^]*?\*\/|^\s+/gm;

/** The one style sheet, to be served at /assets/style.css as text/css. */
export function stylesheet(): string {
  return STYLES.map((name) => readFileSync(join(sharedDirectory, name), 'utf8'))
    .join('\n')
    .replace(FOR_READERS, '');
}
