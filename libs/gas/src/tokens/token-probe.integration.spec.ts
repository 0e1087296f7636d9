import { ChainProvider, MethodUnsupportedError, StateOverridesUnsupportedError } from '@paymaster/chain';
import {
  Anvil,
  AutomineProvider,
  compileSolidityFile,
  deployContract,
  UNHURRIED,
  type CompiledContract,
} from '@paymaster/chain/testing';
import { demoPermitTokenAbi, demoPermitTokenBytecode, demoTokenAbi, demoTokenBytecode } from '@paymaster/contract-abis';
import { DEFAULT_TOKEN_TRANSFER_GAS, NATIVE_PSEUDO_ADDRESS, normalizeAddress, ZERO_ADDRESS } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { AbiCoder, Contract, keccak256, toBeHex, Wallet } from 'ethers';
import { TokenProbe } from './token-probe';
import { TokenRefusedError } from './token-refused.error';

/** anvil's first account, known to everybody. */
const DEPLOYER = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

const demo: CompiledContract = { abi: demoTokenAbi, bytecode: demoTokenBytecode };

describe('TokenProbe', () => {
  let anvil: Anvil;
  let rpc: AutomineProvider;
  let deployer: Wallet;
  let provider: ChainProvider;
  let probe: TokenProbe;
  let contracts: Record<string, CompiledContract>;

  beforeAll(async () => {
    contracts = compileSolidityFile('libs/gas/src/testing/HostileTokens.sol');
    anvil = await Anvil.start();
    rpc = new AutomineProvider(anvil.url, 31337, { staticNetwork: true, cacheTimeout: -1 });
    deployer = new Wallet(DEPLOYER, rpc);
    provider = new ChainProvider({ chainId: 31337, rpcUrls: [anvil.url] }, UNHURRIED);
    probe = new TokenProbe(provider);
  });
  afterAll(async () => {
    rpc?.destroy();
    await anvil?.stop();
  });

  const deploy = async (code: CompiledContract, args: unknown[] = []) =>
    normalizeAddress(await (await deployContract(deployer, code, args)).getAddress());
  const deployed = (name: string, args: unknown[] = []) => deploy(contracts[name]!, args);
  const problemOf = (token: `0x${string}`) =>
    probe.inspect(token).then(
      () => 'none',
      (error: unknown) => (error instanceof TokenRefusedError ? error.problem : error),
    );

  it.each([0, 6, 8, 18, 36])('accepts a plain token of %d decimals and measures its transfers', async (decimals) => {
    const token = await deploy(demo, ['Demo', 'DEM', decimals]);
    const inspected = await probe.inspect(token);
    expect(inspected).toMatchObject({ symbol: 'DEM', decimals });
    expect(inspected.transferGas).toBeGreaterThan(40_000);
    expect(inspected.transferGas).toBeLessThan(DEFAULT_TOKEN_TRANSFER_GAS);
  });

  it.each(['Plain', 'Blocklist', 'a proxy'])(
    'gives an upper bound on the gas of transfers to new owners: %s',
    async (kind) => {
      const implementation = await deployed(kind === 'a proxy' ? 'Blocklist' : kind);
      const token = kind === 'a proxy' ? await deployed('TestProxy', [implementation]) : implementation;
      const { transferGas } = await probe.inspect(token);
      const balanceSlot = keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [deployer.address, 0]));
      await rpc.send('anvil_setStorageAt', [token, balanceSlot, toBeHex(10n ** 9n, 32)]);
      const contract = new Contract(token, demo.abi, deployer);
      const gasOf = async (name: string, args: unknown[]) => {
        const receipt = (await (await contract.getFunction(name)(...args)).wait())!;
        return Number(receipt.gasUsed) - 21_000;
      };
      await gasOf('approve', [deployer.address, 10n ** 8n]);
      const gas = [
        await gasOf('transfer', [randomAddress(), 1n]),
        await gasOf('transferFrom', [deployer.address, randomAddress(), 1n]),
      ];
      expect(transferGas).toBeGreaterThan(Math.max(...gas) * 1.2);
      expect(transferGas).toBeLessThan(Math.max(...gas) * 1.5);
    },
  );

  it.each([
    'NoReturn',
    'Bytes32Symbol',
    'VyperLayout',
    'SmallBalances',
    'Solady',
    'Namespaced',
    'ApproveRace',
    'Blocklist',
  ])('accepts an unusual token: %s', async (name) => {
    await expect(probe.inspect(await deployed(name))).resolves.toMatchObject({ decimals: 6 });
  });

  it('accepts a token behind a proxy', async () => {
    const proxy = await deployed('TestProxy', [await deployed('Blocklist')]);
    await expect(probe.inspect(proxy)).resolves.toMatchObject({ symbol: 'TST', decimals: 6 });
  });

  it('accepts a permit token, in any case of its address', async () => {
    const code = { abi: demoPermitTokenAbi, bytecode: demoPermitTokenBytecode };
    const token = await deploy(code, ['Demo', 'DEMP', 18]);
    const upper = `0x${token.slice(2).toUpperCase()}` as const;
    await expect(probe.inspect(upper)).resolves.toMatchObject({ symbol: 'DEMP', decimals: 18 });
  });

  it.each([
    ['the zero address', ZERO_ADDRESS],
    ["wallets' address of the native coin", NATIVE_PSEUDO_ADDRESS],
    ['the same in capitals', `0x${'E'.repeat(40)}` as const],
  ])('refuses %s', async (_title, address) => {
    await expect(problemOf(address)).resolves.toBe('NATIVE_COIN');
  });

  it('refuses an address without code, also one that delegates', async () => {
    const person = randomAddress();
    await expect(problemOf(person)).resolves.toBe('NOT_AN_ADDRESS_OF_CODE');
    await rpc.send('anvil_setCode', [person, `0xef0100${randomAddress().slice(2)}`]);
    await expect(problemOf(person)).resolves.toBe('NOT_AN_ADDRESS_OF_CODE');
  });

  it.each([
    ['NoDecimals', 'NO_DECIMALS'],
    ['DecimalsBomb', 'NO_DECIMALS'],
    ['DecimalsLoop', 'NO_DECIMALS'],
    ['Decimals77', 'TOO_MANY_DECIMALS'],
    ['NoSymbol', 'BAD_SYMBOL'],
    ['MarkupSymbol', 'BAD_SYMBOL'],
    ['FeeOnTransfer', 'TAKES_A_FEE'],
    ['FeeOnTransferFrom', 'TAKES_A_FEE'],
    ['TinyFee', 'TAKES_A_FEE'],
    ['Inflates', 'TAKES_A_FEE'],
    ['Burns', 'TAKES_A_FEE'],
    ['Rebasing', 'BALANCE_NOT_STORED'],
    ['RebasingByOne', 'BALANCE_NOT_STORED'],
    ['BalanceLies', 'BALANCE_NOT_STORED'],
    ['BalanceReverts', 'BALANCE_NOT_STORED'],
    ['ReturnsFalse', 'TRANSFER_FAILS'],
    ['Lies', 'TRANSFER_FAILS'],
    ['Paused', 'TRANSFER_FAILS'],
    ['NoTransferFrom', 'TRANSFER_FAILS'],
    ['Expensive', 'TRANSFER_FAILS'],
  ])('refuses %s: %s', async (name, problem) => {
    await expect(problemOf(await deployed(name))).resolves.toBe(problem);
    expect(provider.status()[0]?.state).toBe('usable');
  });

  describe('on a node without eth_createAccessList', () => {
    const without = () => {
      const poorer = Object.create(provider) as ChainProvider;
      poorer.touchedSlots = () => Promise.reject(new MethodUnsupportedError('eth_createAccessList'));
      return new TokenProbe(poorer);
    };

    it.each(['Blocklist', 'VyperLayout', 'Solady', 'Namespaced'])('finds the usual layout: %s', async (name) => {
      await expect(without().inspect(await deployed(name))).resolves.toMatchObject({ decimals: 6 });
    });

    it('refuses what it does not find', async () => {
      const token = await deployed('Rebasing');
      await expect(without().inspect(token)).rejects.toMatchObject({ problem: 'BALANCE_NOT_STORED' });
    });
  });

  it('reports a node that ignores overrides, and does not blame the token', async () => {
    const token = await deploy(demo, ['Demo', 'DEM', 6]);
    const deaf = Object.create(provider) as ChainProvider;
    deaf.ethCall = (call, parse) => provider.ethCall(call, parse);
    await expect(new TokenProbe(deaf).inspect(token)).rejects.toThrow(StateOverridesUnsupportedError);
  });
});
