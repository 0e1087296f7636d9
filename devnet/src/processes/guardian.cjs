// Outlives the process that started it just long enough to end that process's children.
// Its standard input is a pipe held only by the parent, so it ends when the parent does, however that came about
// (SIGKILL too). Lines: "+<pid> <signal>" a process group to watch over and how to ask it to end, "-<pid>" one that
// has ended by itself.
const groups = new Map();
const GRACE_MS = 3_000;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [pid, stopSignal] = line.slice(1).split(' ');
    if (line[0] === '+') groups.set(Number(pid), stopSignal);
    else groups.delete(Number(pid));
  })
  .on('close', () => {
    signalEach((stopSignal) => stopSignal);
    const started = Date.now();
    const timer = setInterval(() => {
      signalEach(() => (Date.now() - started > GRACE_MS ? 'SIGKILL' : 0));
      if (groups.size === 0) clearInterval(timer);
    }, 50);
  });

/** Sends every group a signal (0 only asks whether it is there); a group that is gone is forgotten. */
function signalEach(choose) {
  for (const [group, stopSignal] of groups) {
    try {
      process.kill(-group, choose(stopSignal));
    } catch {
      groups.delete(group);
    }
  }
}
