import { ChainProvider } from '@paymaster/chain';
import { Anvil, AutomineProvider, compileSolidityFile, deployContract, UNHURRIED } from '@paymaster/chain/testing';
import { normalizeAddress, type Hex } from '@paymaster/domain';
import { Contract, Interface, Wallet } from 'ethers';
import { CallTrial } from './call-trial';

/** anvil's first account, known to everybody. */
const DEPLOYER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const SPENDER = '0x000000000000000000000000000000000000beef';

describe('CallTrial', () => {
  let anvil: Anvil;
  let rpc: AutomineProvider;

  beforeAll(async () => {
    anvil = await Anvil.start();
    rpc = new AutomineProvider(anvil.url, 31337, { staticNetwork: true, cacheTimeout: -1 });
  });
  afterAll(async () => {
    rpc?.destroy();
    await anvil?.stop();
  });

  it('says whether all calls would succeed, one after the other: as of a token like USDT', async () => {
    const owner = new Wallet(DEPLOYER, rpc);
    const { abi, bytecode } = compileSolidityFile('libs/gas/src/testing/HostileTokens.sol')['ApproveRace']!;
    const token = normalizeAddress(await (await deployContract(owner, { abi, bytecode })).getAddress());
    const approve = (amount: bigint) => ({
      ...{ to: token, valueWei: 0n },
      data: new Interface(abi).encodeFunctionData('approve', [SPENDER, amount]) as Hex,
    });
    const trial = new CallTrial(new ChainProvider({ chainId: 31337, rpcUrls: [anvil.url] }, UNHURRIED));
    const succeeds = (...amounts: bigint[]) =>
      trial.succeeds({ sender: normalizeAddress(owner.address), calls: amounts.map(approve), gas: 1_000_000n });

    expect(await succeeds(5n)).toBe(true);
    expect(await succeeds(5n, 6n)).toBe(false);
    await (await new Contract(token, abi, owner).getFunction('approve')(SPENDER, 7n)).wait();
    expect(await succeeds(5n)).toBe(false);
    expect(await succeeds(0n, 5n)).toBe(true);
  });
});
