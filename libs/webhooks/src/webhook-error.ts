/** What can go wrong with a webhook request. */
export type WebhookFault = 'FORBIDDEN_TARGET' | 'UNREACHABLE' | 'TIMEOUT' | 'BAD_ANSWER';

/** The request did not get an answer. The message names the fault and no secret: URLs may hold some. */
export class WebhookError extends Error {
  constructor(
    readonly fault: WebhookFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'WebhookError';
  }
}
