import type { NetworkOpener } from '../near-networks/network-opener';

/** The type of the message that a client network used half of its room. */
export const NETWORK_NEAR_ROOM = 'wallet.networkNearRoom';

/** The body as it is sent: the network in clear instead of its name. The queue and the log keep the name. */
export function nameNetwork({ type, body }: { type: string; body: string }, opener: NetworkOpener): string {
  if (type !== NETWORK_NEAR_ROOM) return body;
  const { data, ...message } = JSON.parse(body) as { data: { network: string } };
  return JSON.stringify({ ...message, data: { ...data, network: opener.open(data.network) } });
}
