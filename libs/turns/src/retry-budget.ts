/** One call in so many may be made once more. */
const CALLS_PER_RETRY = 10;
/** What is in hand after a quiet time: enough to find out that somebody is gone. */
const MOST_RETRIES = 10;

/**
 * How many calls may be made a second time, or beside one that is slow: a tenth of all calls. So whoever is slow is not
 * asked twice as much for it.
 */
export class RetryBudget {
  /** Calls made and not yet spent on retries. */
  private earned = MOST_RETRIES * CALLS_PER_RETRY;

  /** A call was made for the first time. */
  earn(): void {
    this.earned = Math.min(MOST_RETRIES * CALLS_PER_RETRY, this.earned + 1);
  }

  /** True when one more call may be made. */
  take(): boolean {
    if (this.earned < CALLS_PER_RETRY) return false;
    this.earned -= CALLS_PER_RETRY;
    return true;
  }
}
