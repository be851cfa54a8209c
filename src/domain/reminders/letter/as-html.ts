import { join } from 'node:path';
import { Eta } from 'eta';
import type { DomainSettings } from '../../domain-settings.ts';
import { projectRoot } from '../../../shared/project-root.ts';
import { type LetterContent, OTHERS } from './content.ts';

const views = new Eta({
  views: join(projectRoot, 'src', 'domain', 'reminders', 'letter'),
  autoEscape: true,
  autoTrim: false,
  cache: true,
});

type LetterSettings = Pick<DomainSettings, 'serviceLanguage'>;

/** The mail as HTML. The HTML loads nothing, and stays readable in mail programs that ignore parts of it. */
export function asHtml(content: LetterContent, { serviceLanguage: lang }: LetterSettings): string {
  return views.render('./letter', { ...content, othersTitle: OTHERS, lang });
}
