import { type CallPair, ENVIRONMENT, type NewStep } from '../../domain/new-calls/call-pair.ts';
import { ANCHORS, CALL_PAIRS } from '../../domain/new-calls/call-pairs.ts';
import type { ProgramLanguage } from '../../domain/new-calls/program-language.ts';
import { OLD_CALL_NAMES, OLD_CALLS, type OldCallName } from '../../domain/old-calls/old-calls.ts';
import type { Addresses, CodeLanguage, OldCode } from './code/code-language.ts';
import { LANGUAGES } from './code/languages.ts';
import { wordpressSetUp } from './code/wordpress.ts';

/** The nineteen old calls beside the new calls, as the pages show them. */

/** Splits a text at its backticks. The parts at odd indexes are code. */
const wordsOf = (text: string) => text.split('`');

/** `/1/updates/{UPDATE_ID}/share.json?…`. The reader replaces the name in braces. */
function pathOf(name: OldCallName, { query }: CallPair['old']): string {
  const [path] = OLD_CALLS[name].paths;
  const id = path.startsWith('/1/profiles') ? '{PROFILE_ID}' : '{UPDATE_ID}';
  const search = query ? `?${query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}` : '';
  return `${path.replace(':id', id)}.json${search}`;
}

function oldCodeOf(name: OldCallName): OldCode {
  const { old } = CALL_PAIRS[name];
  const method = old.isPost ? 'POST' : 'GET';
  return { method, path: pathOf(name, old), ...(old.form && { form: old.form }) };
}

const newCodeOf = (code: CodeLanguage, addresses: Addresses) => (step: NewStep) => ({
  title: step.title,
  code: step.kind === 'graphql' ? code.graphql(step, addresses) : code.revocation(step.form, addresses),
});

/** The old and the new code of a call in one language. */
function codeOf(name: OldCallName, language: ProgramLanguage, addresses: Addresses) {
  const { code, name: label } = LANGUAGES[language];
  const { steps } = CALL_PAIRS[name];
  return {
    language,
    label,
    old: code.old(oldCodeOf(name), addresses),
    steps: steps.map(newCodeOf(code, addresses)),
  };
}

interface CallDisplayOptions {
  addresses: Addresses;
  /** In the order of the page. */
  languages: readonly ProgramLanguage[];
}

function shownCall(name: OldCallName, { addresses, languages }: CallDisplayOptions) {
  const { does, old, words, steps, renamed, isForPerson = false } = CALL_PAIRS[name];
  return {
    name,
    anchor: ANCHORS[name],
    address: `${old.isPost ? 'POST' : 'GET'} ${OLD_CALLS[name].paths[0]}.json`,
    does,
    words: wordsOf(words),
    isGone: steps.length === 0,
    isForPerson,
    renamed: renamed.map(([from, to]) => ({ from, to: wordsOf(to) })),
    codes: languages.map((language) => codeOf(name, language, addresses)),
  };
}

/** Only the set-up differs from PHP, so the calls stand once for both. */
const wordpressOf = (addresses: Addresses) => ({
  language: 'wordpress',
  label: 'WordPress, with the calls in PHP',
  code: wordpressSetUp(addresses),
});

/** All calls in every language, and the code that a program needs before the calls. */
export function shownCalls(showing: CallDisplayOptions) {
  const { addresses, languages } = showing;
  return {
    calls: OLD_CALL_NAMES.map((name) => shownCall(name, showing)),
    setUps: languages.flatMap((language) => {
      const { code, name: label } = LANGUAGES[language];
      const own = code.setUp ? [{ language, label, code: code.setUp(addresses) }] : [];
      return language === 'php' ? [...own, wordpressOf(addresses)] : own;
    }),
    languages: languages.map((language) => ({ language, label: LANGUAGES[language].name })),
    environment: Object.entries(ENVIRONMENT).map(([name, is]) => ({ name, is })),
  };
}
