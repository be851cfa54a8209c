// What stands around the exports of the build: a name for functions that only get points, else a function of its own.
// The journal gets digests of the pairs that this process received, and what it made durable.
import { createHash } from 'node:crypto';
import { note, pointed, reach } from './points.mjs';
import { sabotage } from './sabotage.mjs';

const digest = (token) => createHash('sha256').update(token).digest('hex').slice(0, 16);

/** A point directly after the request was given to the kernel, and one where the first bytes of its answer have come. */
function watchSocket(socket) {
  const { _writeGeneric: write } = socket;
  let isFirst = true;
  socket._writeGeneric = function (...parts) {
    write.apply(this, parts);
    if (!isFirst) return;
    isFirst = false;
    socket.prependOnceListener('data', () => reach('answer-arrived'));
    reach('request-out');
  };
  return socket;
}

function openConnection(original) {
  const opened = pointed('connect', original);
  return async (...parts) => {
    const connection = await opened(...parts);
    const { createConnection } = connection.agent;
    connection.agent.createConnection = (...given) => watchSocket(createConnection(...given));
    return connection;
  };
}

/** Inside a transaction nothing is claimed before the commit: there the points stand around the whole. */
function claimPresenting(original) {
  const claim = pointed('claim', original);
  return (db, ...parts) => (db.isTransaction ? original : claim)(db, ...parts);
}

function sealPair(original) {
  return (context, row, pair) => {
    note({ what: 'received', grantId: row.id, version: row.version, token: digest(pair.refreshToken) });
    reach('pair-received');
    return original(context, row, pair);
  };
}

function storeRotatedPair(original) {
  return async (context, entry) => {
    await original(context, entry);
    note({ what: 'kept', grantId: entry.grantId, version: entry.version + 1 });
    reach('pair-kept');
  };
}

const nameOf = ({ grantId, version }) => `${grantId}-${version}`;

function openSpill(original) {
  return (folder) => {
    const spill = sabotage.spill?.(original(folder)) ?? original(folder);
    const own = new Set();
    return {
      ...spill,
      async write(entry) {
        reach('spill.before');
        own.add(nameOf(entry));
        await spill.write(entry);
        note({ what: 'spilled', grantId: entry.grantId, version: entry.version + 1 });
        reach('spill.after');
      },
      async remove(entry) {
        const isOwn = own.has(nameOf(entry));
        reach(isOwn ? 'spill-stored' : 'spill-taken-back');
        await spill.remove(entry);
        if (!isOwn) note({ what: 'taken-back', grantId: entry.grantId });
      },
    };
  };
}

function openStore(original) {
  return async (location) => {
    const store = await original(location);
    return { ...store, transaction: pointed('commit', store.transaction) };
  };
}

function createAuthorizationServer(original) {
  return (options) => {
    const server = original(options);
    const sent = {
      ...server,
      isLive: pointed('introspection', server.isLive),
      refresh(connection, presented) {
        note({ what: 'presented', token: digest(presented.refreshToken) });
        return server.refresh(connection, presented);
      },
    };
    return sabotage.server?.(sent) ?? sent;
  };
}

const OWN = {
  claimPresenting,
  openConnection,
  sealPair,
  storeRotatedPair,
  openSpill,
  openStore,
  createAuthorizationServer,
};

/** The export as the build's other modules get it. */
export function wrapped(name, label, original) {
  if (typeof original !== 'function')
    throw new Error(`the build has no ${name} that the campaign could wrap`);
  const built = sabotage[name]?.(original) ?? original;
  return label ? pointed(label, built) : (OWN[name]?.(built) ?? built);
}
