import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta';
import { projectRoot } from './project-root.ts';

const sharedDirectory = join(projectRoot, 'src', 'shared', 'pages');

export interface Pages {
  /**
   * The whole HTML page of `template` (name without .eta). The layout reads `title` (required) and, if given,
   * `siteName`, `siteLink` and `navigation` (`[{ label, href, current }]`); every value is escaped.
   */
  render(template: string, data: Record<string, unknown>): string;
}

/** Server-rendered pages from one folder of .eta files, in the one layout of the product. */
export function createPages(viewsDirectory: string): Pages {
  const views = new Eta({ views: viewsDirectory, autoEscape: true, autoTrim: false, cache: true });
  const layouts = new Eta({ views: sharedDirectory, autoEscape: true, autoTrim: false, cache: true });
  return {
    render(template, data) {
      const body = views.render(`./${template}`, data);
      return layouts.render('./layout', { siteName: undefined, navigation: [], ...data, body });
    },
  };
}

/** The one style sheet, to be served at /assets/style.css as text/css. */
export function stylesheet(): string {
  return readFileSync(join(sharedDirectory, 'style.css'), 'utf8');
}
