import { type Command, Option } from 'commander';
import { WEBHOOK_EVENTS } from '../domain/webhooks/events.ts';
import { command, group } from './cli-command.ts';
import { withQuestion } from './terminal/question.ts';

/** The commands about the webhooks of the operator. */

const webhooks = () => import('./commands/webhooks.ts');

const BY = [
  '--by <name>',
  'the name of the person who decided, for the history; by default the user of the operating system',
] as const;

const ID = ['<webhook>', 'its id, as webhooks list shows it'] as const;

function removeCommand(): Command {
  const remove = command(
    'remove',
    'remove a webhook with its messages',
    async () => (await webhooks()).removeWebhookCommand,
  );
  return withQuestion(
    remove.argument(...ID).option(...BY),
    () => 'The webhook is removed for good, with its messages and its secret.',
  );
}

/** The command `webhooks`. */
export function webhookCommands(): Command {
  return group('webhooks', 'Servers of yours that are told of connections, consents, dates and leaks.', [
    command(
      'add',
      'add a webhook and print its secret, this once',
      async () => (await webhooks()).addWebhookCommand,
    )
      .argument('<url>', 'an https address without a query')
      .addOption(
        new Option('--event <event...>', 'what it is told of; all of these without this option').choices(
          WEBHOOK_EVENTS.operator,
        ),
      )
      .option(...BY),
    command('list', 'show the webhooks of the operator', async () => (await webhooks()).listWebhooksCommand),
    command(
      'show',
      'show the last messages of a webhook, with their outcome',
      async () => (await webhooks()).showWebhook,
    ).argument(...ID),
    command(
      'test',
      'have a test sent, which a bridge that runs does within seconds',
      async () => (await webhooks()).testWebhook,
    ).argument(...ID),
    command(
      'send-again',
      'have a message sent again that was given up',
      async () => (await webhooks()).sendAgainCommand,
    )
      .argument(...ID)
      .argument('<message>', 'the id of the message, as webhooks show shows it'),
    command(
      'change-secret',
      'print a new secret; the former one signs too for a day',
      async () => (await webhooks()).changeSecretCommand,
    )
      .argument(...ID)
      .option(...BY),
    removeCommand(),
  ]);
}
