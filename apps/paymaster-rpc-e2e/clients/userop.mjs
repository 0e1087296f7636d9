// userop of Stackup.
import { createRequire } from 'node:module';
import { Wallet } from 'ethers';
import { drive } from './lib/drive.mjs';

const { Client, Presets } = createRequire(import.meta.url)('userop');

await drive(async ({ mode, paymasterUrl }, world) => {
  const { chainRpc, bundler, paymasters } = world.stack;
  const context = mode === 'token' ? { token: world.token.address } : undefined;
  const builder = await Presets.Builder.SimpleAccount.init(new Wallet(world.newKey()), chainRpc, {
    overrideBundlerRpc: bundler,
    paymasterMiddleware: Presets.Middleware.verifyingPaymaster(paymasterUrl, context),
  });
  const client = await Client.init(chainRpc, { overrideBundlerRpc: bundler });
  const sender = builder.getSender();
  const { to, data } = world.increment;
  if (mode === 'token') {
    await world.giveTokens(sender);
    const approve = world.approve(paymasters['0.6']);
    builder.executeBatch([approve.to, to], [approve.data, data]);
  } else {
    builder.execute(to, 0, data);
  }
  const { userOpHash } = await client.sendUserOperation(builder);
  return { sender, userOpHash };
});
