import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import { startNatsOf, startSwitchableNats, stopNatsOf, type SwitchableNats } from './nats-switch';

let folder: string;
let nats: SwitchableNats;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paymaster-switch-'));
  process.env['STACK_FILE'] = join(folder, 'stack.json');
  nats = await startSwitchableNats({ dataDir: join(folder, 'nats'), offFile: join(folder, 'nats.off') });
});

afterAll(async () => {
  delete process.env['STACK_FILE'];
  await nats?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('lets another process have an outage and end it, on the same address', async () => {
  let unexpected = '';
  void nats.died.then((sentence) => (unexpected = sentence));

  await stopNatsOf({ natsUrl: nats.url });
  await expect(connect({ servers: [nats.url], reconnect: false, timeout: 500 })).rejects.toThrow();
  await startNatsOf({ natsUrl: nats.url });
  const connection = await connect({ servers: [nats.url] });
  expect(connection.getServer()).toContain(new URL(nats.url).port);
  await connection.close();
  expect(unexpected).toBe('');
});
