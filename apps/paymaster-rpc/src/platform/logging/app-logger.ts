import type { Provider } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';

/** The process's pino logger itself: the hot route writes its own lines and needs no request context. */
export const APP_LOGGER = Symbol('APP_LOGGER');

export const appLoggerProvider: Provider = {
  provide: APP_LOGGER,
  inject: [PinoLogger],
  useFactory: (logger: PinoLogger) => logger.logger,
};
