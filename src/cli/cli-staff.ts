import { type Command, Option } from 'commander';
import { command, group } from './cli-command.ts';
import { STAFF_ROLES } from '../store/tables/page-tables.ts';

/** The commands about staff: the accounts and the programs that may look after the tokens of other people. */

const staff = () => import('./commands/staff.ts');
const list = () => import('./commands/staff-list.ts');
const apiKeys = () => import('./commands/api-keys.ts');

const ACCOUNT = 'an account id, or the e-mail of an account that has signed in';

const BY = [
  '--by <name>',
  'the name of the person who decided, for the history; by default the user of the operating system',
] as const;

/** The command `staff`. */
export function staffCommands(): Command {
  return group('staff', 'The accounts that may use the pages of support.', [
    command('add', 'give an account a role, or change its role', async () => (await staff()).add)
      .argument('<account>', ACCOUNT)
      .addOption(
        new Option('--role <role>', 'reader only looks, agent also acts, lead also decides')
          .choices(STAFF_ROLES)
          .makeOptionMandatory(),
      )
      .option(...BY),
    command('remove', "end an account's role, from its next request on", async () => (await staff()).remove)
      .argument('<account>', ACCOUNT)
      .option(...BY),
    command(
      'list',
      'show every account with a role, and who signed in by the company',
      async () => (await list()).listStaffCommand,
    ),
  ]);
}

/** The command `api-keys`. */
export function apiKeyCommands(): Command {
  return group('api-keys', 'The keys with which programs use the staff API.', [
    command('make', 'make a key and print it once', async () => (await apiKeys()).makeKey)
      .requiredOption('--name <name>', 'what the key is for, for people')
      .addOption(
        new Option('--role <role>', 'reader only looks, agent also acts, lead also decides')
          .choices(STAFF_ROLES)
          .makeOptionMandatory(),
      )
      .requiredOption('--days <number>', 'how many days the key lasts, from 1 to 366')
      .option(...BY),
    command(
      'list',
      'show every key, those that have ended too',
      async () => (await apiKeys()).listKeysOfPrograms,
    ),
    command('end', 'end a key, from its next request on', async () => (await apiKeys()).endKey)
      .argument('<key-id>', 'its id, as api-keys list shows it')
      .option('--reason <text>', 'the reason, for the history')
      .option(...BY),
  ]);
}
