import { chromium } from 'playwright-core';
const [, , who = 'demo@grantbridge.example', pass = 'grantbridge-demo', ...paths] = process.argv;
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const c = await b.newContext(); const s = await c.newPage();
await s.goto('http://127.0.0.1:4620' + paths[0]);
await s.fill('input[name=login], input[type=email]', who); await s.fill('input[type=password]', pass);
await s.keyboard.press('Enter'); await s.waitForTimeout(2500);
const allow = s.getByRole('button', { name: 'Allow', exact: true }); if (await allow.count()) { await allow.click(); await s.waitForTimeout(2000); }
console.log(s.url());
for (const path of paths) for (const [scheme, width] of [['light', 1280], ['dark', 390]] as const) {
  const p = await c.newPage(); await p.emulateMedia({ colorScheme: scheme }); await p.setViewportSize({ width, height: 900 });
  const r = await p.goto('http://127.0.0.1:4620' + path);
  const name = path.replaceAll(/[^a-z0-9]+/gi, '-'); await p.waitForTimeout(200);
  await p.screenshot({ path: `/tmp/w/h/looks-p${name}-${width}.png`, fullPage: true });
  console.log(path, r?.status(), width, (await r!.body()).length, await p.evaluate(() => [...document.querySelectorAll('.chart')].map((f) => { const s = [...f.querySelectorAll('.chart-drawing')].find((x) => x.getBoundingClientRect().width > 0); return [Math.round(f.getBoundingClientRect().width), s && Math.round(s.getBoundingClientRect().width), s?.getAttribute('class')]; })).then(JSON.stringify));
  await p.close();
}
await b.close();
