import { FakeRpcServer } from '@paymaster/chain/testing';
import {
  CANONICAL_ACCOUNT_FACTORIES,
  LOCAL_CHAIN_ID,
  rpc,
  simpleAccount,
  startBundler,
  type Stack,
} from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, type Hex } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { createPublicClient, defineChain, http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { hashOf } from '../testing/answer-as-bundler';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call } from '../testing/rpc-call';

describe('an operation whose bundler and gateway are gone', () => {
  let world: GatewayWorld;
  /** It takes operations and never lands any of them. */
  let silent: FakeRpcServer;

  beforeAll(async () => {
    silent = await FakeRpcServer.start();
    silent.methods['eth_sendUserOperation'] = ([operation]) => hashOf(operation as Record<string, Hex>);
    silent.methods['eth_getUserOperationReceipt'] = () => null;
    world = await startGatewayWorld({
      prepareChain: async ({ anvil, onStop }) => {
        const alto = await startBundler({ chainRpc: anvil.url });
        onStop(() => alto.stop());
        const bundlers = [
          { name: 'silent', url: silent.url, kind: 'other' },
          { name: 'alto', url: alto.url, kind: 'alto' },
        ];
        return { bundlers, bundlerUrl: undefined, gasEstimates: 'own' };
      },
    });
    world.node.beHonest();
  });
  afterAll(async () => {
    await world?.stop();
    await silent?.stop();
  });

  it('lands through the second bundler, by another gateway', async () => {
    const { apiKey } = world.newPaymaster();
    const theirs = await world.another();
    const chain = defineChain({
      ...{ id: LOCAL_CHAIN_ID, name: 'local', rpcUrls: { default: { http: [world.anvil.url] } } },
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    });
    const stack = {
      ...{ chainId: LOCAL_CHAIN_ID, chainRpc: world.anvil.url },
      ...{ entryPoints: CANONICAL_ENTRY_POINTS, accountFactories: CANONICAL_ACCOUNT_FACTORIES },
    } as Stack;
    const transport = http(`${theirs}/api/v1/${LOCAL_CHAIN_ID}/${apiKey}`);
    const wallet = createBundlerClient({
      ...{ account: await simpleAccount(stack, { version: '0.7' }), chain, transport },
      client: createPublicClient({ chain, transport: http() }),
      paymaster: createPaymasterClient({ transport }),
    });
    const hash = await wallet.sendUserOperation({ calls: [{ to: world.demo.address, data: world.demo.callData }] });

    const told = async () =>
      (
        await world.ledger.rows<{ text: string }>(
          `SELECT kind || ' ' || (payload ->> 'bundler') AS text FROM ledger.outbox WHERE kind <> 'granted' ORDER BY id`,
        )
      ).map(({ text }) => text);
    await until(async () => (await told()).includes('sent silent'), 'written');
    await world.end(theirs);
    await rpc(world.anvil.url, 'anvil_mine', ['0xc']);
    const url = `${world.url}/api/v1/${LOCAL_CHAIN_ID}/${apiKey}`;
    const receipt = async () => (await call(url, 'eth_getUserOperationReceipt', [hash])).json.result;
    await until(async () => (await receipt()) !== null, 'landed');
    expect(await receipt()).toMatchObject({ userOpHash: hash, success: true });
    // What a bundler did is written in a batch. On a busy machine, "waiting" may be told in between.
    await until(async () => (await told()).includes('sent alto'), 'written that the second took it');
    expect((await told()).filter((text) => text.startsWith('sent'))).toEqual(['sent silent', 'sent alto']);

    await rpc(world.anvil.url, 'anvil_mine', ['0xc']);
    const left = () => world.ledger.rows('SELECT FROM ledger.sent_operations');
    await until(async () => (await left()).length === 0, 'forgotten');
    expect(silent.callsOf('eth_sendUserOperation')).toBe(1);
  });
});
