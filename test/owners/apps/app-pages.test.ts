import { enteringAnOwnClient } from '../app-pages/modern-client.ts';
import { pastingAToken } from '../app-pages/paste-token.ts';
import { registering } from '../app-pages/register.ts';
import { rotatingSecrets } from '../app-pages/secrets.ts';
import { setStage, type Stage } from '../app-pages/stage.ts';

/** The pages on which owners look after their apps, each a chapter of its own. */

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- filled before the first test of a chapter
const stage = {} as Stage;

beforeAll(async () => void Object.assign(stage, await setStage()));

afterAll(async () => {
  await stage.system.stop();
  await stage.old.close();
});

describe('secrets', () => rotatingSecrets(stage));
describe('an own client', () => enteringAnOwnClient(stage));
describe('a pasted token', () => pastingAToken(stage));
describe('registering', () => registering(stage));
