import { CHANNELS, type ExampleStep, hasChallenge, ORGANIZATIONS, type StepValue } from './examples-step.ts';

/** Writes a step of an example as a Python 3 script, without a library. */

/** A JSON string is also a Python string. */
function expression(value: StepValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return 'env' in value ? `os.environ["${value.env}"]` : value.own;
}

function encoded(fields: Record<string, StepValue>): string {
  const entries = Object.entries(fields).map(([name, value]) => `    "${name}": ${expression(value)},`);
  return ['urllib.parse.urlencode({', ...entries, '})'].join('\n');
}

const isFromEnv = (value: StepValue) => typeof value !== 'string' && 'env' in value;

const importsOf = (values: readonly StepValue[], modules: readonly string[]) =>
  [...(values.some(isFromEnv) ? ['os'] : []), ...modules].map((name) => `import ${name}`).join('\n');

const PKCE = `verifier = secrets.token_urlsafe(32)
digest = hashlib.sha256(verifier.encode()).digest()
challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
state = secrets.token_hex(16)
# Keep both until the person is back. Refuse a callback with another state.
print(verifier, state)
`;

function open({ address, query }: Extract<ExampleStep, { does: 'open' }>): string {
  const hasPkce = hasChallenge(query);
  const modules = [...(hasPkce ? ['base64', 'hashlib', 'secrets'] : []), 'urllib.parse'];
  return `${importsOf(Object.values(query), modules)}

${hasPkce ? PKCE : ''}query = ${encoded(query)}
# Send the browser there. It comes back to the callback with a code.
print(${expression(`${address}?`)} + query)`;
}

const channels = (
  address: StepValue,
  bearer: StepValue,
) => `${importsOf([address, bearer], ['json', 'sys', 'urllib.error', 'urllib.request'])}

def ask(query, variables={}):
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = urllib.request.Request(${expression(address)}, body, {
        "Authorization": "Bearer " + ${expression(bearer)},
        "Content-Type": "application/json",
    })
    try:
        with urllib.request.urlopen(request, timeout=15) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as refusal:
        sys.exit(refusal.read().decode())
    answer = json.loads(text)
    if "errors" in answer or not answer.get("data"):
        sys.exit(text)
    return answer["data"]

for organization in ask("${ORGANIZATIONS}")["account"]["organizations"]:
    found = ask(
        "${CHANNELS}",
        {"input": {"organizationId": organization["id"]}},
    )
    print(json.dumps(found["channels"]))`;

/** Prints an answer, and also a refusal: the library throws a refusal without its body. */
const printed = (call: string) => `try:
    with ${call} as answer:
        print(answer.read().decode())
except urllib.error.HTTPError as refusal:
    print(refusal.read().decode())`;

/** The script of a step. */
export function pythonCode(step: ExampleStep): string {
  switch (step.does) {
    case 'open':
      return open(step);
    case 'post':
      return `${importsOf(Object.values(step.form), ['urllib.error', 'urllib.parse', 'urllib.request'])}

form = ${encoded(step.form)}
${printed(`urllib.request.urlopen(${expression(step.address)}, form.encode(), timeout=15)`)}`;
    case 'read':
      return `${importsOf([step.bearer], ['urllib.error', 'urllib.request'])}

request = urllib.request.Request(${expression(step.address)}, headers={
    "Authorization": "Bearer " + ${expression(step.bearer)},
})
${printed('urllib.request.urlopen(request, timeout=15)')}`;
    case 'channels':
      return channels(step.address, step.bearer);
  }
}
