import { startDeployedChain } from './deployed-chain';
import { connectDevChain } from './dev-chain';
import { DEV_KEYS } from './dev-keys';
import { deployCanonicalContracts } from './canonical-contracts';
import { deployDemoTokens } from './demo-tokens';
import { deployDemoContract, deployPaymasters, fundingBalanceWei } from './paymaster-contracts';

it('a deployed chain has everything from its start, is of today, and shares nothing with another', async () => {
  const both = await Promise.all([startDeployedChain(), startDeployedChain()]);
  try {
    const [chain, other] = await Promise.all(
      both.map(({ url }) => connectDevChain({ rpcUrl: url, privateKey: DEV_KEYS.owner.privateKey })),
    );
    const { reader, account } = chain!;
    const sent = () => reader.getTransactionCount({ address: account.address });
    const before = await sent();
    await deployCanonicalContracts(chain!);
    const fundingWallet = DEV_KEYS.fundingWallet.address;
    const paymasters = await deployPaymasters(chain!, { signer: DEV_KEYS.signer.address, fundingWallet });
    await Promise.all([deployDemoContract(chain!), deployDemoTokens(chain!)]);
    expect(await sent()).toBe(before);
    expect(await fundingBalanceWei(chain!, { paymaster: paymasters['0.8'], fundingWallet })).toBe(10n ** 21n);

    const { timestamp } = await reader.getBlock();
    expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(30);

    await chain!.execute({ to: fundingWallet, data: '0x', value: 1n });
    expect(await other!.reader.getTransactionCount({ address: account.address })).toBe(before);
  } finally {
    await Promise.all(both.map((anvil) => anvil.stop()));
  }
});
