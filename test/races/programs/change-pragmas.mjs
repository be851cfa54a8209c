// Loaded into a bridge before it starts: checkpoints come often, so that a short run has several, and where
// TEST_SYNCHRONOUS is set the durable database is synced by that rule instead of by the bridge's own.
import { Sqlite } from '../../../dist/shared/sqlite.js';

const own = Object.getOwnPropertyDescriptor(Sqlite.prototype, 'pragma').value;

Sqlite.prototype.pragma = function changed(source, options) {
  if (!source.startsWith('synchronous')) return own.call(this, source, options);
  own.call(this, 'wal_autocheckpoint = 20');
  return own.call(this, source.replace('FULL', process.env.TEST_SYNCHRONOUS ?? 'FULL'), options);
};
