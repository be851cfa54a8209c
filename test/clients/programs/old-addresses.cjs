// Preload for the old clients: what DNS would do on the day the bridge takes over the old host names, done in one
// process. Host header, SNI and certificate check still use the old name; no client file is changed.
const net = require('node:net');

const OLD_HOSTS = /^((api\.)?bufferapp\.com|(api\.)?buffer\.com)$/;
const port = Number(process.env.OLD_ADDRESSES_PORT);
const connect = Object.getOwnPropertyDescriptor(net.Socket.prototype, 'connect').value;

// tls.connect hands over (options, callback), net.connect one array of both
net.Socket.prototype.connect = function (...args) {
  const [given, callback] = Array.isArray(args[0]) ? args[0] : args;
  if (!OLD_HOSTS.test(given?.host)) return connect.apply(this, args);
  return connect.call(this, { ...given, host: '127.0.0.1', port }, callback);
};
