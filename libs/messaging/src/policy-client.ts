import type { ClientNats } from '@nestjs/microservices';
import { NatsRecordBuilder } from '@nestjs/microservices';
import { DependencyUnavailableError, type PolicySnapshot } from '@paymaster/domain';
import { headers as natsHeaders, type Msg, type NatsConnection } from 'nats';
import { firstValueFrom, timeout } from 'rxjs';
import {
  fromMessage,
  REQUEST_ID_HEADER,
  SUBJECTS,
  type PolicyChangedEvent,
  type ResolvePolicyReply,
  type ResolvePolicyRequest,
} from './policy-messages';

/** A question to the dashboard that is not answered by then counts as "the dashboard is down"; milliseconds. */
const RESOLVE_TIMEOUT_MS = 1_000;

/** What the gateway hears of its policies' owner. */
export interface PolicyListener {
  /** A paymaster changed: copies below `version` are out of date. */
  policyChanged(event: PolicyChangedEvent): void;
  /** The connection is back: broadcasts may have been missed. */
  reconnected(): void;
}

/**
 * The gateway's side of the policy subjects: asks the dashboard for a snapshot, and hears its broadcasts.
 * Connects in the background and for as long as it takes, so that a broker that is down never stops a boot.
 */
export class PolicyClient {
  private linked = false;

  constructor(private readonly client: ClientNats) {}

  /** Whether the connection to NATS stands right now. */
  get connected(): boolean {
    return this.linked;
  }

  /** Starts to connect and, once connected, to listen. Returns at once. */
  start(listener: PolicyListener): void {
    let wasConnected = false;
    this.client.status.subscribe((status) => {
      this.linked = status === 'connected';
      if (!this.linked) return;
      if (wasConnected) listener.reconnected();
      wasConnected = true;
    });
    this.client.connect().then(
      () => this.listen(listener),
      () => undefined, // Only a closed client gives up connecting.
    );
  }

  /**
   * Asks for the policy snapshot of an API key.
   *
   * @param requestId travels as the `x-request-id` header into the dashboard's logs
   * @returns the snapshot, or undefined when the key is unknown, revoked or of another chain
   * @throws {DependencyUnavailableError} when nobody answers within a second; at once when NATS is not connected
   */
  async resolve(request: ResolvePolicyRequest, requestId: string): Promise<PolicySnapshot | undefined> {
    if (!this.linked) throw unavailable(new Error('not connected to NATS'));
    const headers = natsHeaders();
    headers.set(REQUEST_ID_HEADER, requestId);
    const record = new NatsRecordBuilder(request).setHeaders(headers).build();
    let reply: ResolvePolicyReply;
    try {
      reply = await firstValueFrom(
        this.client.send<ResolvePolicyReply>(SUBJECTS.policyResolve, record).pipe(timeout(RESOLVE_TIMEOUT_MS)),
      );
    } catch (cause) {
      throw unavailable(cause);
    }
    return reply.found ? fromMessage(reply.snapshot) : undefined;
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    this.linked = false;
    await this.client.close();
  }

  /** Every process hears every broadcast: a plain subscription, in no queue group. */
  private listen(listener: PolicyListener): void {
    this.client.unwrap<NatsConnection>().subscribe(SUBJECTS.policyChanged, {
      callback: (error: Error | null, message: Msg) => {
        const event = error ? undefined : changedEventIn(message);
        if (event) listener.policyChanged(event);
      },
    });
  }
}

/** The event inside the envelope that Nest's `emit` puts around it; undefined for anything else on the subject. */
function changedEventIn(message: Msg): PolicyChangedEvent | undefined {
  try {
    const { data } = message.json<{ data?: Partial<PolicyChangedEvent> }>();
    if (typeof data?.paymasterId !== 'string' || typeof data.version !== 'number') return undefined;
    return { paymasterId: data.paymasterId, version: data.version };
  } catch {
    return undefined;
  }
}

function unavailable(cause: unknown): DependencyUnavailableError {
  return new DependencyUnavailableError('dashboard', 'The policy service does not answer; nothing was signed.', {
    cause,
  });
}
