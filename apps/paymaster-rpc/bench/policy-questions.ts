import { SUBJECTS, type ResolvePolicyQuestion } from '@paymaster/messaging';
import { connect } from 'nats';

/** What gateways asked the dashboard for. */
export interface AskedPolicies {
  /** Whole policies: nothing was in memory. */
  readonly fetched: number;
  /** Whether a copy in memory still holds. */
  readonly confirmed: number;
}

/** Hears every question for a policy on a broker, and answers none. */
export interface PolicyQuestions {
  /** Since the last time it was asked. */
  take(): Promise<AskedPolicies>;
  stop(): Promise<void>;
}

export async function hearPolicyQuestions(natsUrl: string): Promise<PolicyQuestions> {
  const connection = await connect({ servers: natsUrl });
  let asked = { fetched: 0, confirmed: 0 };
  connection.subscribe(SUBJECTS.policyResolve, {
    callback: (_error, message) => {
      const { known } = message.json<{ data: ResolvePolicyQuestion }>().data;
      if (known) asked.confirmed++;
      else asked.fetched++;
    },
  });
  await connection.flush();
  return {
    async take() {
      // What was sent before is here after a round trip.
      await connection.flush();
      const taken = asked;
      asked = { fetched: 0, confirmed: 0 };
      return taken;
    },
    stop: () => connection.close(),
  };
}
