import { CHANNELS, type ExampleStep, hasChallenge, ORGANIZATIONS, type StepValue } from './examples-step.ts';

/** Writes a step of an example as commands for a POSIX shell. */

/** Quotes a text as one shell word, whatever the text contains. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The shell variable of a value that is not a text. */
function variable(value: Exclude<StepValue, string>): string {
  return `$${'env' in value ? value.env : value.own.toUpperCase()}`;
}

const word = (value: StepValue) => (typeof value === 'string' ? quoted(value) : `"${variable(value)}"`);

const IS_PLAIN = /^[\w.~-]+$/;

function formLine([name, value]: [string, StepValue]): string {
  if (typeof value !== 'string') return `--data-urlencode ${name}="${variable(value)}"`;
  return IS_PLAIN.test(value) ? `-d ${name}=${value}` : `--data-urlencode ${quoted(`${name}=${value}`)}`;
}

/** Texts are percent-encoded, so no character has a meaning between double quotes. */
function queryOf(query: Record<string, StepValue>): string {
  return Object.entries(query)
    .map(([name, value]) =>
      typeof value === 'string'
        ? new URLSearchParams({ [name]: value }).toString().replaceAll("'", '%27')
        : `${name}=${variable(value)}`,
    )
    .join('&');
}

const BASE64URL = `tr '+/' '-_' | tr -d '='`;

const PKCE = [
  `VERIFIER=$(openssl rand -base64 32 | ${BASE64URL})`,
  `CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | ${BASE64URL})`,
  'STATE=$(openssl rand -hex 16)',
  '# Keep both until the person is back. Refuse a callback with another state.',
  'echo "VERIFIER=$VERIFIER STATE=$STATE"',
];

const lines = (...parts: string[]) => parts.join(' \\\n  ');

const JSON_HEADER = "-H 'Content-Type: application/json'";

function channels(address: StepValue, bearer: StepValue): string {
  const head = [
    `curl --max-time 15 ${word(address)}`,
    `-H "Authorization: Bearer ${typeof bearer === 'string' ? bearer : variable(bearer)}"`,
    JSON_HEADER,
  ];
  const second = JSON.stringify({ query: CHANNELS, variables: { input: { organizationId: '@' } } });
  return [
    lines(...head, `-d ${quoted(JSON.stringify({ query: ORGANIZATIONS }))}`),
    '# Then, with one of these ids as ORGANIZATION_ID:',
    lines(...head, `-d ${quoted(second).replace('@', `'"$ORGANIZATION_ID"'`)}`),
  ].join('\n');
}

/** The commands of a step. */
export function curlCode(step: ExampleStep): string {
  switch (step.does) {
    case 'open':
      return [
        ...(hasChallenge(step.query) ? PKCE : []),
        '# Open this address in a browser. It comes back to the callback with a code.',
        `echo "${step.address}?${queryOf(step.query)}"`,
      ].join('\n');
    case 'post':
      return lines(`curl --max-time 15 ${quoted(step.address)}`, ...Object.entries(step.form).map(formLine));
    case 'read':
      return lines(
        `curl --max-time 15 ${quoted(step.address)}`,
        `-H "Authorization: Bearer ${typeof step.bearer === 'string' ? step.bearer : variable(step.bearer)}"`,
      );
    case 'channels':
      return channels(step.address, step.bearer);
  }
}
