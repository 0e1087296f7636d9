import { Logger } from '@nestjs/common';

/**
 * From now on, a promise that is rejected and that nobody looks at is an error in the log and not the end of the
 * process: one caller's request must not take all the others' down. An exception that nobody catches still ends it.
 */
export function logUnhandledRejections(logger: Pick<Logger, 'error'> = new Logger('Process')): void {
  process.on('unhandledRejection', (reason) => {
    const { name, message, stack } = reason instanceof Error ? reason : new Error(String(reason));
    logger.error({ fault: { type: name, message, stack } }, 'a rejection was not handled');
  });
}
