/** The state of one dependency as this process sees it. */
export interface HealthReport {
  readonly status: 'up' | 'degraded' | 'down';
  /** For the operator; no secrets, no URLs with credentials. */
  readonly detail?: string;
}

/** A named probe. An `essential` probe that is `down` makes the process not ready. */
export interface HealthCheck {
  readonly name: string;
  /** False for a dependency without which the process can work for a while, such as a broker. */
  readonly essential: boolean;
  check(): HealthReport | Promise<HealthReport>;
}

export const HEALTH_CHECKS = Symbol('HEALTH_CHECKS');
