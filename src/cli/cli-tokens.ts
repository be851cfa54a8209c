import { type Command, InvalidArgumentError } from 'commander';
import { command, group } from './cli-command.ts';
import { withQuestion } from './terminal/question.ts';
import { BY, extensionCommands, REASON } from './cli-lifecycle.ts';

/** The commands about apps, tokens, accounts and links. */

const apps = () => import('./commands/apps/apps.ts');
const tokens = () => import('./commands/tokens/token-actions.ts');
const appSecrets = () => import('./commands/apps/app-secrets.ts');

function parseRows(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('The number of rows must be 0 or more.');
  return Number(text);
}

const GRACE_MAX = 720;

function parseHours(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > GRACE_MAX)
    throw new InvalidArgumentError(`The hours must be a whole number from 0 to ${GRACE_MAX}.`);
  return Number(text);
}

const giveCommand = () =>
  command(
    'give',
    'give an app to another account, because nobody can sign in as its owner; for seven days that can be taken back (history undo), as long as the new owner has not changed the app',
    async () => (await import('./commands/apps/give.ts')).give,
  )
    .argument('<client-id>')
    .requiredOption('--to <account>', 'the id of an account that is known here')
    .requiredOption('--reason <text>', REASON)
    .option(...BY);

const retireCommand = () =>
  withQuestion(
    command(
      'retire',
      'refuse an app and all its tokens from the next call on; nothing ends at the new API; for seven days that can be taken back (history undo)',
      async () => (await import('./commands/apps/retire.ts')).retire,
    )
      .argument('<client-id>')
      .requiredOption('--reason <text>', REASON)
      .option(...BY),
    () =>
      'The app and all its tokens are refused from the next call on, also those that are connected. That can be taken back for seven days.',
  );

function appCommands(): Command {
  return group('apps', 'Registered apps of the old API.', [
    command(
      'add',
      'register an app; prints client_id, client_secret and owner_token once',
      async () => (await apps()).addApp,
    )
      .requiredOption('--name <name>', 'the name that people see on the approval page')
      .requiredOption(
        '--callback <url...>',
        'a callback address: https, or http on a loopback address; may be given more than once',
      )
      .option(
        '--contact <address...>',
        'an e-mail address for mails about the app that cannot be delivered to its owner; may be given more than once',
      )
      .requiredOption(
        '--owner <account>',
        "the owner's account id or e-mail address; with an e-mail address the owner has to prove the address before the owner token works",
      ),
    command(
      'list',
      'show every app with its callbacks, extensions and cut-over',
      async () => (await apps()).listAppsCommand,
    ),
    command(
      'add-secret',
      'add a second client_secret and print it once; the first secret keeps working',
      async () => (await appSecrets()).addAppSecret,
    ).argument('<client-id>'),
    withQuestion(
      command(
        'retire-secret',
        'end one of two client secrets at once',
        async () => (await appSecrets()).retireAppSecret,
      )
        .argument('<client-id>')
        .argument('<secret-id>'),
      () => 'The secret ends at once and for good. Programs that still use it exchange no more codes.',
    ),
    giveCommand(),
    retireCommand(),
    ...extensionCommands(),
  ]);
}

/** What ends a token, or gives it to its app. */
function endCommands(): Command[] {
  return [
    command(
      'revoke',
      'end one token; for seven days that can be taken back (history undo), unless its connection ended with it',
      async () => (await tokens()).revoke,
    )
      .argument('<mapping>', 'its mapping id, as tokens find shows it')
      .requiredOption('--reason <text>', 'for the history and the owner'),
    command(
      'leaked',
      'report tokens that were found where others can read them, one a line; they are revoked, and their owners are told',
      async () => (await import('./commands/tokens/leaked-tokens.ts')).leakedTokens,
    )
      .argument('<file>', 'a file, or - for standard input')
      .option(
        '--grace <hours>',
        'how long the tokens go on; 0 revokes them at once; else LEAKED_TOKEN_GRACE_HOURS says it',
        parseHours,
      )
      .option('--found <text>', 'where they were found, for support, the history and the owner'),
    command(
      'assign',
      'assign a token that was seen in use to its app; for seven days that can be taken back (history undo), as long as nothing changed the token since',
      async () => (await tokens()).assign,
    )
      .argument('<mapping>', 'its mapping id, as tokens find shows it')
      .requiredOption('--app <client-id>', 'the client id of the app')
      .requiredOption(
        '--reason <text>',
        'how you know that the token belongs to the app, for the history and the owner',
      ),
  ];
}

function tokenCommands(): Command {
  return group('tokens', 'The tokens of the old API that the bridge knows.', [
    command(
      'import',
      'import apps, id pairs and tokens from NDJSON or CSV; an interrupted import can be run again',
      async () => (await import('./commands/tokens/tokens.ts')).importTokens,
    )
      .argument('<file>', 'a file, or - for standard input')
      .option('--dry-run', 'show what the import would change; change nothing')
      .option(
        '--max-refused <rows>',
        'change nothing and end with exit code 1 if more rows than this number would be refused',
        parseRows,
      ),
    command(
      'find',
      'find tokens by e-mail address, by client, account or mapping id, or by their first or last four characters',
      async () => (await tokens()).findTokenCommand,
    )
      .argument('<query>', 'the text to look for; - reads a whole token from standard input')
      .option('--at <moment>', 'show how the tokens stood at this moment, by the history'),
    ...endCommands(),
  ]);
}

function accountCommands(): Command {
  return group('accounts', 'The accounts that tokens act for.', [
    withQuestion(
      command(
        'pin',
        'give the tokens and apps that wait under an e-mail address to an account; for seven days that can be taken back (history undo), as long as the account has not used them',
        async () => (await import('./commands/apps/accounts.ts')).pin,
      )
        .argument('<email>', 'the e-mail address')
        .argument('<account>', 'an account id')
        .requiredOption(
          '--reason <text>',
          'how you know that the address belongs to the account, for the history',
        ),
      ({ operands: [email, account] }) =>
        `All that waits under ${email} belongs to the account ${account} afterwards. For seven days that can be taken back, as long as the account has not used it.`,
    ),
  ]);
}

function linkCommands(): Command {
  return group('links', 'Links that ask people to connect again.', [
    command(
      'make',
      'print the link for one app and account; the link is the same each time',
      async () => (await import('./commands/tokens/links.ts')).makeLinkCommand,
    )
      .requiredOption('--app <client-id>', 'the client id of the app')
      .requiredOption('--account <account-id>', 'the id of the account whose tokens wait'),
  ]);
}

function handoverCommands(): Command {
  return group('handovers', 'Token pairs that apps have taken over into their own clients.', [
    command(
      'list',
      'show the token pairs that no app has confirmed yet',
      async () => (await import('./commands/apps/handovers.ts')).listHandovers,
    ),
  ]);
}

/** The commands `apps`, `tokens`, `accounts`, `links` and `handovers`. */
export function tokenSideCommands(): Command[] {
  return [appCommands(), tokenCommands(), accountCommands(), linkCommands(), handoverCommands()];
}
