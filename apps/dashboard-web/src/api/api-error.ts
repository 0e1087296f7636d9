/** A refusal of the dashboard. `reason` is its stable word, `requestId` what the operator finds the request by. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    readonly reason?: string,
    readonly requestId?: string,
  ) {
    super(message);
  }
}

/** One thing was asked of several paymasters, and some refused; the message says which and why. */
export class RefusedBySomeError extends ApiError {
  constructor(message: string) {
    super(400, message);
  }
}

/** The page made a mistake while it showed a screen. */
export class ScreenFailedError extends Error {
  override readonly name = 'ScreenFailedError';

  constructor() {
    super('The page made a mistake here. If it happens again, tell the operator what you did before.');
  }
}

/** The dashboard could not be reached, or the answer did not arrive. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';

  constructor(options?: ErrorOptions) {
    super('The dashboard does not answer.', options);
  }
}
