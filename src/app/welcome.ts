import type { Config } from '../config/config.ts';
import { OUT_OF_BAND } from '../domain/apps/callback-rule.ts';
import { embeddedOrigin } from './embedded-client.ts';
import { loadDemoData } from './demo-data.ts';
import type { System } from './system.ts';

/** Deleting VAR_DIR begins again only with a SQLite database, which is in VAR_DIR. */
function beginAgain({ database, varDir }: Config): string {
  return database.kind === 'sqlite'
    ? ` (if you have deauthorized the app, delete ${varDir} to begin again)`
    : '';
}

/** What works from the first moment where an old API runs. */
function passedLines(
  { publicUrl, embedded }: Config,
  { clientId, token }: { clientId: string; token: string },
): string[] {
  if (embedded.oldApiPort === undefined) return [];
  return [
    'A token from years ago. The old API answers it until it is connected or its app is retired:',
    `  curl '${publicUrl}/1/profiles.json?access_token=${token}'`,
    `Connect it at ${publicUrl}/apps/${clientId}, and the new API answers it.`,
    '',
  ];
}

async function demoLines(config: Config, demo: NonNullable<System['demo']>): Promise<string[]> {
  const { DEMO_APP, demoOrigin, passedToken } = await loadDemoData();
  const { clientId, clientSecret, ownerToken } = DEMO_APP;
  const authorize = `${config.publicUrl}/oauth2/authorize?client_id=${clientId}&response_type=code&redirect_uri=${OUT_OF_BAND}`;
  return [
    `  new API            ${embeddedOrigin(config)}`,
    `  account settings   ${embeddedOrigin(config)}/settings`,
    `  demo integration   ${demoOrigin(config)}   <- open this first`,
    '',
    `  demo e-mail: ${demo.email}`,
    `  demo password: ${demo.password ?? '(changed in the settings)'}`,
    `  demo client_id: ${clientId}`,
    `  demo client_secret: ${clientSecret}`,
    `  demo token: ${ownerToken}`,
    '',
    ...passedLines(config, passedToken()),
    `Once you have connected the demo integration, its owner token works too${beginAgain(config)}:`,
    `  curl '${config.publicUrl}/1/profiles.json?access_token=${ownerToken}'`,
    '',
    'The old flow by hand: open the first line, then send the code within 30 seconds:',
    `  ${authorize}`,
    `  curl -d client_id=${clientId} -d client_secret=${clientSecret} -d grant_type=authorization_code \\`,
    `    -d redirect_uri=${OUT_OF_BAND} -d code=CODE ${config.publicUrl}/1/oauth2/token.json`,
  ];
}

/** The text for a person once everything runs: the addresses and the demo account. */
export async function welcomeText(config: Config, { demo }: System): Promise<string> {
  const lines = [
    'grantbridge is running.',
    '',
    `  bridge             ${config.publicUrl}`,
    `  your apps          ${config.publicUrl}/apps`,
    `  support            ${config.publicUrl}/support`,
  ];
  return [...lines, ...(demo ? await demoLines(config, demo) : []), '', 'Stop with Ctrl-C.', ''].join('\n');
}
