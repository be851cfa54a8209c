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
// Keep both until the person is back.
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
  });
  return (await answer.json()).data;
};

const { account } = await ask("${ORGANIZATIONS}");
const organizationId = account.organizations[0].id;
const { channels } = await ask(
  "${CHANNELS}",
  { input: { organizationId } },
);
console.log(channels);`;

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
});
console.log(await answer.text());`;
    case 'read':
      return `const answer = await fetch(${expression(step.address)}, {
  headers: { Authorization: \`Bearer \${${expression(step.bearer)}}\` },
});
console.log(await answer.text());`;
    case 'channels':
      return channels(step.address, step.bearer);
  }
}
