import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs in a separate process, because Jest handles unhandled rejections itself. */
function outputOf(script: string): string {
  const setUp = `const { logUnhandledRejections } = require(${JSON.stringify(join(__dirname, 'log-unhandled-rejections.ts'))});
    const logger = { error: ({ fault }, what) => process.stdout.write(what + ': ' + fault.type + ' ' + fault.message + '\\n') };`;
  return execFileSync(process.execPath, ['-r', './devnet/load-typescript.cjs', '-e', `${setUp}\n${script}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

const GO_ON = `setTimeout(() => process.stdout.write('alive'), 20);`;

describe('logUnhandledRejections', () => {
  it.each([
    [`new TypeError('lost')`, 'TypeError lost'],
    [`'just a text'`, 'Error just a text'],
  ])('logs the rejection %s, and the process continues', (reason, logged) => {
    expect(outputOf(`logUnhandledRejections(logger); Promise.reject(${reason}); ${GO_ON}`)).toBe(
      `a rejection was not handled: ${logged}\nalive`,
    );
  });

  it('is what keeps the process going', () => {
    expect(() => outputOf(`Promise.reject(new Error('lost')); ${GO_ON}`)).toThrow();
  });
});
