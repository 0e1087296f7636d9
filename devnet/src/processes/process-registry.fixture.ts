/** A parent for the test of the registry: starts two children (one with a child of its own) and then ends as told. */
import { ProcessStartError, startProcess } from './process-registry';

const SLEEPER = { command: 'sh', ready: { line: (line: string) => line === 'ready' } };

async function main(ending: string | undefined): Promise<void> {
  const stubborn = 'trap "" TERM INT; echo ready; while :; do sleep 0.2; done';
  const first = await startProcess({ ...SLEEPER, name: 'with-child', args: ['-c', 'sleep 600 & echo ready; wait'] });
  const script = ending === 'wait-for-kill' ? stubborn : 'echo ready; sleep 600';
  const second = await startProcess({ ...SLEEPER, name: 'second', args: ['-c', script] });
  process.stdout.write(`${JSON.stringify([first.pid, second.pid])}\n`);
  setInterval(() => undefined, 1_000);
  if (ending === 'exit') process.exit(3);
  if (ending === 'throw') throw new Error('boom');
  if (ending === 'uncaught') setTimeout(() => void Promise.reject(new Error('late boom')), 10);
  if (ending === 'failed-start') {
    await startProcess({ ...SLEEPER, name: 'broken', args: ['-c', 'echo no luck; exit 9'] }).catch((error: unknown) => {
      process.exit(error instanceof ProcessStartError ? 4 : 5);
    });
  }
}

void main(process.argv[2]);
