import { join } from 'node:path';
import { Eta } from 'eta';
import { projectRoot } from '../../../shared/project-root.ts';
import { type Content, OTHERS } from './content.ts';

const views = new Eta({
  views: join(projectRoot, 'src', 'domain', 'reminders', 'letter'),
  autoEscape: true,
  autoTrim: false,
  cache: true,
});

/** The mail as HTML. It loads nothing, and what no mail program understands of it leaves it readable. */
export function asHtml(content: Content): string {
  return views.render('./letter', { ...content, othersTitle: OTHERS });
}
