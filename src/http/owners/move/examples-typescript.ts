import { CHANNELS, type ExampleStep, hasChallenge, ORGANIZATIONS, type StepValue } from './examples-step.ts';

/** Writes a step of an example as a TypeScript module for Node, without a library. */

function expression(value: StepValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return 'env' in value ? `process.env.${value.env}!` : value.own;
}

function field([name, value]: [string, StepValue]): string {
  return typeof value !== 'string' && 'own' in value && value.own === name
    ? `  ${name},`
    : `  ${name}: ${expression(value)},`;
}

const parameters = (fields: Record<string, StepValue>) =>
  ['new URLSearchParams({', ...Object.entries(fields).map(field), '})'].join('\n');

const PKCE = `import { createHash, randomBytes } from "node:crypto";

const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");
const state = randomBytes(16).toString("hex");
// Keep both until the person is back. Refuse a callback with another state.
console.log(verifier, state);

`;

const channels = (
  address: StepValue,
  bearer: StepValue,
) => `const ask = async (query: string, variables = {}) => {
  const answer = await fetch(${expression(address)}, {
    method: "POST",
    headers: {
      Authorization: \`Bearer \${${expression(bearer)}}\`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(15_000),
  });
  const text = await answer.text();
  const { data, errors } = answer.ok ? JSON.parse(text) : {};
  if (errors || !data) throw new Error(text);
  return data;
};

const { account } = await ask("${ORGANIZATIONS}");
for (const organization of account.organizations) {
  const { channels } = await ask(
    "${CHANNELS}",
    { input: { organizationId: organization.id } },
  );
  console.log(channels);
}`;

/** The module of a step. */
export function typescriptCode(step: ExampleStep): string {
  switch (step.does) {
    case 'open':
      return `${hasChallenge(step.query) ? PKCE : ''}const query = ${parameters(step.query)};
// Send the browser there. It comes back to the callback with a code.
console.log(\`${step.address}?\${query}\`);`;
    case 'post':
      return `const answer = await fetch(${expression(step.address)}, {
  method: "POST",
  body: ${parameters(step.form).replaceAll('\n', '\n  ')},
  signal: AbortSignal.timeout(15_000),
});
console.log(await answer.text());`;
    case 'read':
      return `const answer = await fetch(${expression(step.address)}, {
  headers: { Authorization: \`Bearer \${${expression(step.bearer)}}\` },
  signal: AbortSignal.timeout(15_000),
});
console.log(await answer.text());`;
    case 'channels':
      return channels(step.address, step.bearer);
  }
}
