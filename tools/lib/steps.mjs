/** Writes a line for people. */
export function say(line) {
  process.stdout.write(`${line}\n`);
}

/**
 * Runs a step and says how it went and how long it took.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function step(name, action) {
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)} s`;
  try {
    const result = await action();
    say(`ok    ${name} (${seconds()})`);
    return result;
  } catch (error) {
    say(`FAIL  ${name} (${seconds()})`);
    throw error;
  }
}
