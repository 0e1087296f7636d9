// Outlives the process that started it just long enough to end that process's children.
// Its standard input is a pipe held only by the parent, so it ends when the parent does, however that came about
// (SIGKILL too). Lines: "+<pid>" a process group to watch over, "-<pid>" one that has ended by itself.
const groups = new Set();
const GRACE_MS = 3_000;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    const group = Number(line.slice(1));
    if (line[0] === '+') groups.add(group);
    else groups.delete(group);
  })
  .on('close', () => {
    endAll('SIGTERM');
    const started = Date.now();
    const timer = setInterval(() => {
      if (Date.now() - started > GRACE_MS) endAll('SIGKILL');
      if (groups.size === 0) clearInterval(timer);
    }, 50);
    endAll(0);
  });

/** Signals every group; a group that no longer exists is forgotten. */
function endAll(signal) {
  for (const group of groups) {
    try {
      process.kill(-group, signal);
    } catch {
      groups.delete(group);
    }
  }
}
