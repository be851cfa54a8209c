import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import { projectRoot } from './project-root.ts';

const sharedDirectory = join(projectRoot, 'src', 'shared', 'pages');

export interface Pages {
  /**
   * The whole HTML page of `template` (name without .eta). The layout reads `title` (required) and, if given,
   * `siteName`, `siteLink`, `navigation` (`[{ label, href, current }]`), `scripts` (addresses) and `wide`; every value is
   * escaped.
   */
  render(template: string, data: Record<string, unknown>): string;
}

/** Server-rendered pages from one folder of .eta files, in the one layout of the product; `shared` is given to each. */
export function createPages(viewsDirectory: string, shared: Record<string, unknown> = {}): Pages {
  const views = new Eta({ views: viewsDirectory, autoEscape: true, autoTrim: false, cache: true });
  const layouts = new Eta({ views: sharedDirectory, autoEscape: true, autoTrim: false, cache: true });
  return {
    render(template, data) {
      const body = views.render(`./${template}`, { ...shared, ...data });
      return layouts.render('./layout', {
        siteName: undefined,
        navigation: [],
        scripts: [],
        ...shared,
        ...data,
        body,
      });
    },
  };
}

/** The parts of the one style sheet, in the order in which they build on each other. */
const STYLES = ['base.css', 'forms.css', 'content.css', 'charts.css', 'owners.css', 'support.css'];

/** The one style sheet, to be served at /assets/style.css as text/css. */
export function stylesheet(): string {
  return STYLES.map((name) => readFileSync(join(sharedDirectory, name), 'utf8')).join('\n');
}
