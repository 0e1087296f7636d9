/** A gateway in a process of its own: gateway-world.ts starts it, tells it its deadlines, and is told its URL. */
import 'reflect-metadata';
import { loadConfig } from '@paymaster/nest-kit';
import { createGateway } from '../create-gateway';
import type { Deadlines } from '../platform/config/deadlines';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';

process.once('message', (deadlines: Partial<Deadlines>) => {
  void createGateway(loadConfig(PaymasterRpcConfig), { deadlines }).then(async (app) => {
    process.once('disconnect', () => void app.close());
    await app.listen(0, '127.0.0.1');
    process.send?.(await app.getUrl());
  });
});
