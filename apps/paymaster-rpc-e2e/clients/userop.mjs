// userop of Stackup.
import { createRequire } from 'node:module';
import { Wallet } from 'ethers';
import { drive } from './lib/drive.mjs';

const { Client, Presets } = createRequire(import.meta.url)('userop');

await drive(async ({ mode, paymasterUrl }, world) => {
  const { chainRpc, bundler } = world.stack;
  const context = mode === 'token' ? { token: world.token.address } : undefined;
  const builder = await Presets.Builder.SimpleAccount.init(new Wallet(world.newKey()), chainRpc, {
    overrideBundlerRpc: bundler,
    paymasterMiddleware: Presets.Middleware.verifyingPaymaster(paymasterUrl, context),
  });
  const client = await Client.init(chainRpc, { overrideBundlerRpc: bundler });
  const sender = builder.getSender();
  async function send(calls) {
    const [{ to, value, data }] = calls;
    if (calls.length === 1) builder.execute(to, value, data);
    else
      builder.executeBatch(
        calls.map((call) => call.to),
        calls.map((call) => call.data),
      );
    return (await client.sendUserOperation(builder)).userOpHash;
  }
  return { sender, send };
});
