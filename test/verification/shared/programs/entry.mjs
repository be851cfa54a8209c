// The test entry of a bridge process (`node --import`): takes the campaign's orders and shifts this process's clock.
import cluster from 'node:cluster';
import { Socket } from 'node:net';
import { arm } from './points.mjs';

const machineNow = Date.now;
let shift = 0;
globalThis.Date = class extends Date {
  constructor(...parts) {
    super(...(parts.length > 0 ? parts : [machineNow() + shift]));
  }
  static now() {
    return machineNow() + shift;
  }
};

function obey({ shift: newShift, traps }) {
  if (newShift !== undefined) shift = newShift;
  if (traps) arm(traps);
}

/** The campaign's orders, one JSON object a line; each is acknowledged. Without a campaign there is nothing to do. */
function listen() {
  const orders = new Socket({ fd: 3 });
  let rest = '';
  orders.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      obey(JSON.parse(line));
      orders.write('done\n');
    }
  });
  orders.on('error', () => undefined);
  orders.once('close', () => process.kill(process.pid, 'SIGKILL'));
  orders.unref();
}

obey(JSON.parse(process.env.CAMPAIGN_FIRST_ORDER ?? '{}'));
// A worker has its first process at that place, and ends with it.
if (!cluster.isWorker) listen();
