import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Module } from '@nestjs/common';
import { HealthModule } from '../../health/health.module';
import { createHttpApp, listenUntilSignalled, run } from '../../http/create-http-app';
import { loggerModule } from '../../logging/logger.module';
import { openMonitor } from '../monitor';

/** An app that boots slowly and answers each request slowly. Its arguments are its ports. */
const [port, monitorPort] = process.argv.slice(2).map(Number) as [number, number];
const HOST = '127.0.0.1';
const BOOT_MS = 2_000;
const ANSWER_MS = 3_000;

@Controller('slow')
class SlowController {
  @Get()
  async answer(): Promise<string> {
    await sleep(ANSWER_MS);
    return 'done';
  }
}

@Module({
  imports: [loggerModule({ service: 'slow', level: 'silent' }), HealthModule.register({ checks: [] })],
  controllers: [SlowController],
})
class SlowModule {}

run(async () => {
  const monitor = await openMonitor({ host: HOST, monitorPort });
  await sleep(BOOT_MS);
  const app = await createHttpApp(SlowModule, { bodyLimitBytes: 1_024 });
  await listenUntilSignalled(app, { host: HOST, port, drainSeconds: 1, monitor });
});
