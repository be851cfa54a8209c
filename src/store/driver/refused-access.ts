/**
 * What an operator does where a database refuses this role or this user of the machine. The words of the server, the driver and
 * SQLite say what is refused, and never what to do.
 */

const MAKE_IT =
  'migrate makes no PostgreSQL database. Correct the name, or make the database: createdb --owner=ROLE --encoding=UTF8 --template=template0 NAME';

const OWN_IT =
  'The role of DATABASE_URL must own the database and every table in it. Read a dump in as that role (docs/operate/backup.md), and give it a database of another owner with: alter database NAME owner to ROLE';

const OWN_THE_FILES =
  'If this user may not read and write the files of the database and their folder, run the command as the user that runs the bridge, or give the folder and all files in it back to that user';

/** A code of the server (SQLSTATE), a code of SQLite, or the words of the driver, which has no code for them. */
const STEPS: ReadonlyArray<readonly [sign: RegExp, step: string]> = [
  [/^28P01$/, 'Correct the user and the password in DATABASE_URL, or in the file of DATABASE_URL_FILE'],
  [/^3D000$/, MAKE_IT],
  [/^42501$/, OWN_IT],
  [/^SQLITE_(READONLY|CANTOPEN|PERM)/, OWN_THE_FILES],
  [
    /does not support SSL/,
    'Switch ssl on at the server. Where the network itself is protected, sslmode=disable in DATABASE_URL talks to the server without TLS',
  ],
];

/** The message of an error, with the next step where one is known. */
export function withNextStep(error: unknown, message = (error as Error).message): string {
  const { code } = error as { code?: unknown };
  const found = STEPS.find(([sign]) => (typeof code === 'string' && sign.test(code)) || sign.test(message));
  return found === undefined ? message : `${message}. ${found[1]}`;
}
