'use strict';
// Required before alto, which listens on every address of the machine and has no option for another.
const { Server } = require('node:net');

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(options, ...rest) {
  return listen.call(this, options?.host === '0.0.0.0' ? { ...options, host: '127.0.0.1' } : options, ...rest);
};
