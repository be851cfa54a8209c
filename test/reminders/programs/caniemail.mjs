// Which features of an HTML mail (standard input) the mail programs of the arguments do not support, as JSON: caniemail
// is an ES module that jest cannot load.
import { text } from 'node:stream/consumers';
import { caniemail } from 'caniemail';

const { issues } = caniemail({ clients: process.argv.slice(2), html: await text(process.stdin) });
const titles = (byClient) =>
  [...byClient].map(([client, list]) => [client, [...new Set(list.map(({ title }) => title))]]);
process.stdout.write(
  JSON.stringify({
    errors: Object.fromEntries(titles(issues.errors)),
    warnings: Object.fromEntries(titles(issues.warnings)),
  }),
);
