import { startSystem, type System } from '../support/system.ts';
import { issueToken } from '../support/legacy-calls.ts';
let door: System;
beforeAll(async () => { door = await startSystem({}); });
afterAll(() => door.stop());
test('probe', async () => { await issueToken(door); setTimeout(() => process.kill(process.pid, 'SIGINT'), 7000); });
