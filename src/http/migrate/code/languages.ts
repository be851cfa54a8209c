import type { ProgramLanguage } from '../../../domain/new-calls/program-language.ts';
import type { CodeLanguage } from './code-language.ts';
import { curl } from './curl.ts';
import { php } from './php.ts';
import { python } from './python.ts';
import { typescript } from './typescript.ts';

/** Every language of the shown calls. */
export const LANGUAGES: Readonly<Record<ProgramLanguage, { name: string; code: CodeLanguage }>> = {
  curl: { name: 'curl', code: curl },
  php: { name: 'PHP', code: php },
  typescript: { name: 'TypeScript', code: typescript },
  python: { name: 'Python', code: python },
};
