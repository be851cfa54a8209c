import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { buildProgram } from '../processes/running-program.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../processes/whole-system.ts';
import { certificateFor } from '../support/servers/certificates.ts';
import { browserMissing, newVisitor, openChromium } from './chromium.ts';
import { allow, arriveAt } from './support/arrive.ts';

/** The bridge with a certificate of its own in front of the embedded modern generation, which speaks plain HTTP. */

let place: Place;
let system: WholeSystem;
let browser: Browser;

if (browserMissing) process.stderr.write(`The browser tests are skipped: ${browserMissing}.\n`);

(browserMissing ? describe.skip : describe)('a bridge on this machine that serves HTTPS', () => {
  beforeAll(async () => {
    await buildProgram();
    place = await choosePlace();
    const { cert, key } = await certificateFor(['localhost']);
    const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(place.varDir, 'cert.pem'), join(place.varDir, 'key.pem')];
    writeFileSync(TLS_CERT_FILE, cert);
    writeFileSync(TLS_KEY_FILE, key, { mode: 0o600 });
    const PUBLIC_URL = `https://localhost:${place.settings.PORT}`;
    system = await startWholeSystem({ ...place.settings, PUBLIC_URL, TLS_CERT_FILE, TLS_KEY_FILE });
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser.close();
    await system.stop();
    place.remove();
  });

  test('a person signs in, and a form of the page leads over the consent and back', async () => {
    expect(system.modernUrl).toBe(`http://localhost:${place.settings.MODERN_PORT}`);
    const visitor = await newVisitor(browser, { ignoreHTTPSErrors: true });
    const page = await visitor.newTab();
    await arriveAt(page, `${system.bridgeUrl}/apps`, system.person);
    await page
      .getByRole('button', { name: /^Connect/ })
      .first()
      .click();
    await allow(page);
    await page.waitForURL(/\/apps\/.*\/connected/);
    expect(visitor.complaints).toEqual([]);
    await visitor.leave();
  });
});
