/** Jest itself complains after one second. */
const PATIENCE_MS = 5_000;
const STANDARD = new Set([process.stdin, process.stdout, process.stderr]);

/**
 * When Jest does not end, says what keeps it from ending, and after which test file that was first there. Sees what
 * runs in Jest's own process, which is every test where tests run in band.
 */
module.exports = class LeftRunningReporter {
  firstSeenAfter = new WeakMap();

  onTestResult({ path }) {
    for (const handle of handles()) {
      if (!this.firstSeenAfter.has(handle)) this.firstSeenAfter.set(handle, path);
    }
  }

  onRunComplete() {
    // Fires only when something else keeps the process alive that long.
    setTimeout(() => this.report(), PATIENCE_MS).unref();
  }

  report() {
    const lines = handles().map((handle) => `  ${describe(handle)}, after ${this.firstSeenAfter.get(handle) ?? 'all'}`);
    const kinds = [...new Set(process.getActiveResourcesInfo())].join(', ');
    process.stderr.write(['Jest does not end, because a test left something running:', ...lines, ''].join('\n'));
    process.stderr.write(`  kinds of all that is active: ${kinds}\n`);
  }
};

/** Sockets, servers and child processes; Node tells nothing of a timer but that it is there. */
function handles() {
  return process._getActiveHandles().filter((handle) => !STANDARD.has(handle));
}

function describe(handle) {
  const kind = handle?.constructor?.name ?? typeof handle;
  if (kind === 'ChildProcess') return `process ${handle.pid} (${handle.spawnargs?.join(' ')})`;
  if (kind === 'Server') return `server on port ${handle.address?.()?.port}`;
  if (kind === 'Socket') return `socket from port ${handle.localPort} to port ${handle.remotePort}`;
  return kind;
}
