/**
 * Runs the commands that commands.ts sends, one after the other, and tells how each ended. A command has ended when
 * nothing keeps Node at work, as if the process were its own. What it did to the process is undone then.
 */
const STREAMS = ['stdout', 'stderr'];
/** What `run` of @paymaster/nest-kit listens to. */
const LISTENED_TO = ['SIGTERM', 'SIGINT', 'unhandledRejection'];
const written = {};

for (const name of STREAMS) {
  process[name].write = (text) => {
    written[name] += text;
    return true;
  };
}

process.once('disconnect', process.exit.bind(process, 0));
/** Commands call this when they have failed. What they leave at work then keeps them from ending here. */
process.exit = (code) => {
  process.exitCode = code;
};

process.on('message', ({ file, args, env }) => {
  for (const name of STREAMS) written[name] = '';
  process.argv = [process.execPath, file, ...args];
  process.env = env;
  process.exitCode = 0;
  delete require.cache[file];
  process.channel.unref();
  require(file);
});

process.on('beforeExit', (code) => {
  for (const event of LISTENED_TO) process.removeAllListeners(event);
  process.exitCode = 0;
  process.channel.ref();
  process.send({ code, ...written });
});
