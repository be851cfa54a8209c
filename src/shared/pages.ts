import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import { iconAddress } from './icons.ts';
import { projectRoot } from './project-root.ts';

const sharedDirectory = join(projectRoot, 'src', 'shared', 'pages');

export interface Pages {
  /**
   * The whole HTML page of `template` (name without .eta). The layout reads `title` (required) and, if given,
   * `siteName`, `siteLink`, `navigation` (`[{ label, href, current }]`), `scripts` (addresses), `wide`, `htmxConfig`
   * (JSON) and `versioned` (address -> address that names its content); every value is escaped.
   */
  render(template: string, data: Record<string, unknown>): string;
  /** A template alone, for what comes into a page later. */
  part(template: string, data: Record<string, unknown>): string;
}

/** A program that was copied in part would serve everything but its pages. */
function requireTemplates(directory: string): void {
  if (!existsSync(directory)) throw new Error(`the templates of the pages are missing: ${directory}`);
}

/**
 * Server-rendered pages from one folder of .eta files, in the one layout of the product; `shared` is given to each.
 * @throws {Error} where a folder of them is missing
 */
export function createPages(viewsDirectory: string, shared: Record<string, unknown> = {}): Pages {
  for (const directory of [viewsDirectory, sharedDirectory]) requireTemplates(directory);
  const views = new Eta({ views: viewsDirectory, autoEscape: true, autoTrim: false, cache: true });
  const layouts = new Eta({ views: sharedDirectory, autoEscape: true, autoTrim: false, cache: true });
  const part: Pages['part'] = (template, data) => views.render(`./${template}`, { ...shared, ...data });
  const [style, icon] = [versioned(STYLE, stylesheet()), iconAddress()];
  return {
    part,
    render(template, data) {
      const body = part(template, data);
      return layouts.render('./layout', {
        siteName: undefined,
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

/** The address of an asset that changes with its content, so that browsers may keep it for good. */
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
  'live.css',
];

/** The one style sheet, to be served at /assets/style.css as text/css. */
export function stylesheet(): string {
  return STYLES.map((name) => readFileSync(join(sharedDirectory, name), 'utf8')).join('\n');
}
