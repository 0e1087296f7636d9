// Preloaded into a gateway (`node --expose-gc -r`): on SIGUSR2 it collects garbage and writes what is left to a file.
const { renameSync, writeFileSync } = require('node:fs');

process.on('SIGUSR2', () => {
  globalThis.gc();
  const file = process.env.BENCH_MEMORY_FILE;
  writeFileSync(`${file}.part`, JSON.stringify(process.memoryUsage()));
  renameSync(`${file}.part`, file);
});
