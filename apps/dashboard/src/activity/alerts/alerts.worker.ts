import { Inject, Injectable } from '@nestjs/common';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import { DeliveryMetrics } from '../../outbound/webhooks/delivery-metrics';
import { afterAttempt, ReceiversWorker } from '../../outbound/webhooks/receivers-worker';
import { AlertDeliveries, type AlertMessage, type DueAlert } from './alert-deliveries';
import { AlertSender, type AlertLetter } from './alert-sender';
import { AlertsRepository } from './alerts.repository';
import { quietUntil } from './quiet-hours';

/** A mail server may take its time. Both are shorter than the lease of what is sent. */
const TIMEOUT_MS = { ofMail: 25_000, ofOthers: 10_000 };

/** Sends what alerts have to tell; what is due together, in one message. */
@Injectable()
export class AlertsWorker extends ReceiversWorker {
  protected readonly isSetUp = true;

  constructor(
    private readonly deliveries: AlertDeliveries,
    private readonly alerts: AlertsRepository,
    private readonly sender: AlertSender,
    private readonly paymasters: PaymastersRepository,
    private readonly metrics: DeliveryMetrics,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'publicUrl'>,
  ) {
    super(deliveries);
  }

  protected async serveNext(alertId: string): Promise<boolean> {
    const alert = await this.alerts.get(alertId);
    const paymaster = alert && (await this.paymasters.findOfAnyAccount(alert.paymasterId));
    if (!alert || !paymaster) return false;
    const end = alert.quietHours ? quietUntil(alert.quietHours, new Date()) : undefined;
    if (end) {
      await this.deliveries.hold(alert, end);
      return false;
    }
    const due = await this.deliveries.claim(alertId);
    const [first] = due;
    if (!first) return false;
    const page = this.config.publicUrl && `${this.config.publicUrl}/a/${paymaster.accountId}/p/${paymaster.id}`;
    const letter = letterOf(due, { id: first.id, name: paymaster.name, page });
    const { delivered, status, answer, problem, pauseMs } = await this.sender.send(
      alert,
      letter,
      alert.kind === 'MAIL' ? TIMEOUT_MS.ofMail : TIMEOUT_MS.ofOthers,
    );
    for (const { id, attempts } of due) {
      const after = afterAttempt(attempts, delivered);
      const retryInMs = Math.max(after.retryInMs, pauseMs);
      await this.deliveries.record({
        ...{ id, status: after.status, retryInMs },
        ...{ lastStatus: status, lastAnswer: answer, lastProblem: problem },
      });
      this.metrics.attempted('alert', after.status);
    }
    return delivered;
  }
}

/** One message of all that is due. */
function letterOf(
  due: readonly DueAlert[],
  { id, name, page }: { id: string; name: string; page: string | undefined },
): AlertLetter {
  const alerts = due.map(({ body, isOver }) => ({ ...(JSON.parse(body) as AlertMessage), isOver }));
  const lines = alerts.map(({ timestamp, text, isOver }) => {
    const line = alerts.length > 1 ? `${timestamp.slice(0, 16).replace('T', ' ')} UTC: ${text}` : text;
    return isOver ? `${line} It is over by now.` : line;
  });
  const title = `Paymaster ${name}: ${alerts.length === 1 ? 'an alert' : `${alerts.length} alerts`}`;
  return { id, title, lines: page ? [...lines, page] : lines, alerts };
}
