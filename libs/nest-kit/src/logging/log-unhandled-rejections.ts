import { Logger } from '@nestjs/common';

/**
 * From now on an unhandled rejection is an error in the log and does not end the process, so that one caller's request
 * does not take all others down. An uncaught exception still ends the process.
 */
export function logUnhandledRejections(logger: Pick<Logger, 'error'> = new Logger('Process')): void {
  process.on('unhandledRejection', (reason) => {
    const { name, message, stack } = reason instanceof Error ? reason : new Error(String(reason));
    logger.error({ fault: { type: name, message, stack } }, 'a rejection was not handled');
  });
}
