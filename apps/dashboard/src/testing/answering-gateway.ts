import { GatewayResponder, MessageAuthenticator, type GatewayHandlers, type NatsSettings } from '@paymaster/messaging';
import { CHAIN_ID, INDEX_KEY } from './dashboard-under-test';

/** What gateways that know nothing say; each answer names what was asked about. */
const HANDLERS: GatewayHandlers = {
  explain: ({ apiKeyIndex }) =>
    Promise.resolve({
      ...{ sponsored: false, reason: 'METHOD_NOT_WHITELISTED', message: `asked of 0x${apiKeyIndex}`, details: {} },
      ...{ policyId: null, maxCostWei: null, gasLimits: null, budgets: [] },
      trace: [{ rule: 'methodsWhitelisted', input: '0x', outcome: 'refuse' }],
    }),
  limits: ({ policy, sender }) =>
    Promise.resolve([
      { rule: policy.name, perUser: true, unit: 'count', amount: '5', used: sender ? '1' : null, resetsAtSeconds: 1e9 },
    ]),
  prices: ({ apiKeyIndex }) =>
    Promise.resolve({
      nativeUsd: '3000',
      tokens: [
        {
          ...{ address: `0x${'5a'.repeat(20)}`, symbol: `0x${apiKeyIndex}`, usd: '1', problem: null, ageSeconds: 1.5 },
          ...{ sources: ['fixed'], leftOut: [], premiumMillionths: 25_000, exposedWei: '0', exposureCapWei: '10' },
        },
      ],
    }),
  chains: () =>
    Promise.resolve([
      {
        ...{ chainId: CHAIN_ID, head: { blockNumber: '77', ageSeconds: 1.5 } },
        providers: [
          {
            ...{ host: 'rpc.example', use: 'chain', isUp: true, lagBlocks: 0 },
            calls: { answered: 5, failed: 1 },
          },
        ],
        signers: [
          {
            ...{ name: 'first', address: `0x${'51'.repeat(20)}`, isUp: true, downBecause: null },
            contracts: [{ version: '0.7', isAccepted: false, activeFromSeconds: 1_800_000_000 }],
          },
        ],
        books: { lagSeconds: 2, haltedReason: null },
      },
    ]),
  wallets: ({ wallets }) => Promise.resolve(wallets.map(() => '7')),
};

/** A gateway as the dashboard knows it: its side of the questions of owners. */
export function startAnsweringGateway(nats: NatsSettings, handlers: Partial<GatewayHandlers> = {}): GatewayResponder {
  const responder = new GatewayResponder({
    ...{ nats, name: 'gateway', authenticator: new MessageAuthenticator(INDEX_KEY) },
    handlers: { ...HANDLERS, ...handlers },
    onError: (error) => ({ refused: { reason: 'INVALID_PARAMS', message: (error as Error).message } }),
  });
  responder.start();
  return responder;
}
