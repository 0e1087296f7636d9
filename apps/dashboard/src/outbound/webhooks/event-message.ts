import type { SponsorshipEvent } from '@paymaster/messaging';
import type { NetworkOpener } from '../near-networks/network-opener';
import type { WebhookEvent } from './webhook';

/** What a webhook is told of one event: its name there, and the body. */
export interface EventMessage {
  readonly event: WebhookEvent;
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
}

/** The type of the message that a client network used half of its room. */
const NETWORK_NEAR_ROOM = 'wallet.networkNearRoom';

/** Types that are not of operations. */
const TYPES: Partial<Record<SponsorshipEvent['kind'], string>> = {
  walletBraked: 'wallet.braked',
  networkNearRoom: NETWORK_NEAR_ROOM,
};

/** The message of an event, or undefined for those that nobody is told about. */
export function eventMessage(event: SponsorshipEvent): EventMessage | undefined {
  const data = dataOf(event);
  if (!data) return undefined;
  const { kind, eventId, atMs, chainId, paymasterId } = event;
  const type = TYPES[kind] ?? `operation.${kind}`;
  const timestamp = new Date(atMs).toISOString();
  return {
    event: kind as WebhookEvent,
    eventId,
    type,
    body: JSON.stringify({ type, timestamp, data: { paymasterId, chainId, ...data } }),
  };
}

/** The trace stays in the dashboard: receivers need the outcome. */
function dataOf(event: SponsorshipEvent): Record<string, unknown> | undefined {
  switch (event.kind) {
    case 'granted': {
      const { requestId, fundingWallet, prechargeWei, validUntilSeconds, policyId } = event;
      return {
        ...operationOf(event),
        requestId,
        fundingWallet,
        expectedCostWei: prechargeWei,
        validUntilSeconds,
        policyId,
      };
    }
    case 'refused': {
      const { requestId, reason, message, details } = event;
      return { ...operationOf(event), requestId, reason, message, details };
    }
    case 'settled': {
      const { userOpHash, transactionHash, blockNumber, fundingWallet, chargedWei, actualGasCostWei, success } = event;
      const chain = { userOpHash, transactionHash, blockNumber, fundingWallet, success };
      return { ...operationOf(event), ...chain, actualCostWei: chargedWei, gasCostWei: actualGasCostWei };
    }
    case 'voided':
      return { ...operationOf(event), because: event.because, releasedWei: event.releasedWei };
    case 'sent':
    case 'waiting':
    case 'bundlerRefused':
    case 'dropped': {
      const { userOpHash, bundler, message } = event;
      return { ...operationOf(event), userOpHash, bundler, message };
    }
    case 'walletBraked': {
      const { contract, fundingWallet, lostWei, leftWei } = event;
      return { contract, fundingWallet, lostWei, leftWei };
    }
    case 'networkNearRoom': {
      const { contract, fundingWallet, network, usedWei, roomWei } = event;
      return { contract, fundingWallet, network, usedWei, roomWei };
    }
    case 'landed':
    case 'unlanded':
    case 'walletChanged':
      return undefined;
  }
}

type OperationEvent = Extract<SponsorshipEvent, { readonly sender: string }>;

function operationOf({ reservationId, mode, sender, nonce, entryPointVersion }: OperationEvent) {
  return { reservationId, mode, sender, nonce, entryPointVersion };
}

/** The body as it is sent: the network in clear instead of its name. The queue and the log keep the name. */
export function nameNetwork({ type, body }: { type: string; body: string }, opener: NetworkOpener): string {
  if (type !== NETWORK_NEAR_ROOM) return body;
  const { data, ...message } = JSON.parse(body) as { data: { network: string } };
  return JSON.stringify({ ...message, data: { ...data, network: opener.open(data.network) } });
}
