import { parseEther } from 'viem';
import { CANONICAL_ENTRY_POINTS, ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { startAnvil } from '../processes/anvil';
import { stopAllProcesses } from '../processes/process-registry';
import {
  CANONICAL_ACCOUNT_FACTORIES,
  CANONICAL_DELEGATE,
  deployCanonicalContracts,
  type PerVersion,
} from './canonical-contracts';
import { deployDeterministically } from './deterministic-deployment';
import { connectDevChain, type DevChain } from './dev-chain';
import { DEV_KEYS } from './dev-keys';
import { deployDemoContract, deployPaymasters, fundingBalanceWei, paymasterAbi } from './paymaster-contracts';

const parties = { signer: DEV_KEYS.signer.address, fundingWallet: DEV_KEYS.fundingWallet.address };
let chain: DevChain;
let paymasters: PerVersion<`0x${string}`>;

beforeAll(async () => {
  const anvil = await startAnvil({ blockTimeSeconds: 0 });
  chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
  await deployCanonicalContracts(chain);
  paymasters = await deployPaymasters(chain, parties);
});

afterAll(() => stopAllProcesses());

describe.each(ENTRY_POINT_VERSIONS)('on v%s', (version) => {
  it('has the EntryPoint and the account factory at their canonical addresses', async () => {
    expect(await chain.hasCode(CANONICAL_ENTRY_POINTS[version])).toBe(true);
    expect(await chain.hasCode(CANONICAL_ACCOUNT_FACTORIES[version])).toBe(true);
  });

  it('has a paymaster that knows its signer and whose funding wallet has coin', async () => {
    const address = paymasters[version];
    const isSigner = await chain.reader.readContract({
      address,
      abi: paymasterAbi,
      functionName: 'isSigner',
      args: [parties.signer],
    });
    expect(isSigner).toBe(true);
    expect(await fundingBalanceWei(chain, { paymaster: address, fundingWallet: parties.fundingWallet })).toBe(
      parseEther('10'),
    );
  });
});

it('has the account that wallets delegate to by EIP-7702', async () => {
  expect(await chain.hasCode(CANONICAL_DELEGATE)).toBe(true);
});

it('changes nothing when deployed again', async () => {
  const before = await chain.reader.getTransactionCount({ address: DEV_KEYS.owner.address });
  await deployCanonicalContracts(chain);
  expect(await deployPaymasters(chain, parties)).toEqual(paymasters);
  expect(await chain.reader.getTransactionCount({ address: DEV_KEYS.owner.address })).toBe(before);
});

it('gives the demo contract the same address on every chain', async () => {
  const other = await startAnvil({ blockTimeSeconds: 0, chainId: 4242 });
  const elsewhere = await connectDevChain({ rpcUrl: other.url, privateKey: DEV_KEYS.owner.privateKey });
  expect(await deployDemoContract(elsewhere)).toEqual(await deployDemoContract(chain));
});

it('refuses code that would not land on the expected address', async () => {
  const expected = CANONICAL_ENTRY_POINTS['0.7'];
  await expect(deployDeterministically(chain, { name: 'EntryPoint', initCode: '0x00', expected })).rejects.toThrow(
    /its canonical address is 0x0000000071727de22e5e9d8baf0edac6f37da032/,
  );
});
