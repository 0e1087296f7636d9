// Asks the process of this container how it is: `node healthcheck.mjs live` (or `ready`). Exit code 0: it is.
const [, , question = 'live'] = process.argv;
const port = process.env.MONITOR_PORT || process.env.PORT;

try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/health/${question}`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
