import type { Command } from 'commander';

/** What people type, by the words of the command. The help of each command ends with them; a test parses each. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  serve: ['serve'],
  migrate: ['migrate --status', 'migrate --plan', 'migrate'],
  'apps add': [
    "apps add --name 'My plugin' --callback https://plugin.example/callback --owner owner@plugin.example",
  ],
  'apps list': ['apps list', 'apps list --json'],
  'apps add-secret': ['apps add-secret 4f0c0a06512f7ef214000000'],
  'apps retire-secret': ['apps retire-secret 4f0c0a06512f7ef214000000 6b08726f696859c36a4dfdf5'],
  'apps give': [
    "apps give 4f0c0a06512f7ef214000000 --to 4f0c0a06512f7ef214000001 --reason 'its owner has left, ticket 4711'",
  ],
  'apps retire': ["apps retire 4f0c0a06512f7ef214000000 --reason 'its maker has given it up, ticket 4711'"],
  'apps cut-over': ["apps cut-over 4f0c0a06512f7ef214000000 --percent 10 --reason 'first tenth'"],
  'apps extend': [
    "apps extend 4f0c0a06512f7ef214000000 --until 2027-02-01 --reason 'asked for by its owner'",
    "apps extend 4f0c0a06512f7ef214000000 --until 2027-06-01 --sunset --reason 'asked for by its owner'",
  ],
  'apps unextend': ["apps unextend 4f0c0a06512f7ef214000000 --reason 'has moved'"],
  'tokens import': ['tokens import tokens.ndjson --dry-run', 'tokens import - --max-refused 0'],
  'tokens find': [
    'tokens find owner@plugin.example',
    'tokens find 9f3e',
    'tokens find -',
    'tokens find 9f3e --at 2026-11-01',
  ],
  'tokens revoke': ["tokens revoke 6b08726f696859c36a4dfdf5 --reason 'found in a public log'"],
  'tokens leaked': [
    "tokens leaked - --found 'a log that was public until noon'",
    'tokens leaked found.txt --grace 24',
  ],
  'tokens assign': [
    "tokens assign 6b08726f696859c36a4dfdf5 --app 4f0c0a06512f7ef214000000 --reason 'its owner showed the source'",
  ],
  'accounts pin': [
    "accounts pin old@plugin.example 4f0c0a06512f7ef214000001 --reason 'showed the old mailbox'",
  ],
  'staff add': ['staff add 4f0c0a06512f7ef214000001 --role agent'],
  'staff remove': ['staff remove agent@bridge.example'],
  'staff list': ['staff list'],
  'api-keys make': ["api-keys make --name 'Ticket desk' --role agent --days 90"],
  'api-keys list': ['api-keys list'],
  'api-keys end': ['api-keys end 6b08726f696859c36a4dfdf5'],
  'webhooks add': [
    'webhooks add https://hooks.example/bridge',
    'webhooks add https://hooks.example/bridge --event connection.ended token.leaked',
  ],
  'webhooks list': ['webhooks list'],
  'webhooks show': ['webhooks show 6b08726f696859c36a4dfdf5'],
  'webhooks test': ['webhooks test 6b08726f696859c36a4dfdf5'],
  'webhooks send-again': ['webhooks send-again 6b08726f696859c36a4dfdf5 6b08726f696859c36a4dfdf6'],
  'webhooks change-secret': ['webhooks change-secret 6b08726f696859c36a4dfdf5'],
  'webhooks remove': ['webhooks remove 6b08726f696859c36a4dfdf5'],
  'links make': ['links make --app 4f0c0a06512f7ef214000000 --account 4f0c0a06512f7ef214000001'],
  'handovers list': ['handovers list'],
  'keys init': ['keys init'],
  'keys list': ['keys list'],
  'keys add': ['keys add'],
  'keys activate': ['keys activate kf5d9f427', 'keys activate kf5d9f427 --purpose sealing'],
  'keys reseal': ['keys reseal'],
  'keys drop': ['keys drop kf5d9f427'],
  'history verify': ['history verify', 'history verify --anchor bridge.log'],
  'history export': [
    'history export --output history.ndjson',
    'history export --since 2027-02-01 --app 4f0c0a06512f7ef214000000',
  ],
  'history follow': [
    'history follow',
    'history follow --since 48213',
    'history follow --since 2027-02-01T09:00Z --token 6b08726f696859c36a4dfdf5',
  ],
  'history undo': ['history undo 48213 --reason "the wrong token, ticket 4711"'],
  'dates show': ['dates show'],
  'dates set': [
    "dates set retirement 2027-02-01 --reason 'as announced'",
    "dates set sunset none --reason 'not decided yet'",
  ],
  'brownouts add': [
    "brownouts add --from 2027-01-15T09:00Z --to 2027-01-15T10:00Z --rehearses retirement --text 'A rehearsal'",
  ],
  'brownouts list': ['brownouts list'],
  'brownouts remove': ['brownouts remove 6b08726f696859c36a4dfdf5'],
  'brownouts exempt': [
    "brownouts exempt 4f0c0a06512f7ef214000000 --until 2027-01-20 --reason 'a release of theirs'",
  ],
  'brownouts unexempt': ["brownouts unexempt 4f0c0a06512f7ef214000000 --reason 'released'"],
  'reminders plan': ['reminders plan', 'reminders plan --on 2027-01-02'],
  'reminders run': ['reminders run'],
  'reminders undeliverable': ['reminders undeliverable'],
  'reminders resume': ['reminders resume owner@plugin.example'],
  backup: ['backup bridge-2027-02-01.db'],
  restore: ['restore bridge-2027-02-01.db', 'restore --take-over'],
  shadow: ['shadow', 'shadow --clear'],
  doctor: ['doctor', 'doctor --json'],
  completion: ['completion bash > /etc/bash_completion.d/grantbridge', 'completion fish | source'],
};

/** Ends the help of each command with its examples. `words` are those of the command above. */
export function addExamples(above: Command, words: readonly string[] = []): void {
  for (const one of above.commands) {
    const own = [...words, one.name()];
    const examples = EXAMPLES[own.join(' ')] ?? [];
    const lines = examples.map((example) => `  grantbridge ${example}`);
    if (lines.length > 0) one.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
    addExamples(one, own);
  }
}
