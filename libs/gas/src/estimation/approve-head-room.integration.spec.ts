import { parseBytes } from '@paymaster/chain';
import { compileSolidity, simpleAccountCallData, SimpleAccounts, type AccountCall } from '@paymaster/chain/testing';
import {
  demoCounterAbi,
  demoCounterBytecode,
  demoTokenAbi,
  demoTokenBytecode,
  paymasterPuppetAbi,
  paymasterPuppetRuntimeBytecode,
} from '@paymaster/contract-abis';
import {
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { randomAddress, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { Interface, type Contract } from 'ethers';
import { gasReference } from './gas-reference';
import { APPROVE_HEADROOM } from './token-head-room';

const PROXY = 'import "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol"; contract Proxied {}';
const puppet = new Interface(paymasterPuppetAbi);

const SAME_FIELDS = { nonce: 1n, callGasLimit: 21_000n, verificationGasLimit: 21_000n, signature: '0x' } as const;

describe('the approve that clients put in front of an operation', () => {
  const spender = randomAddress();
  let world: SimpleAccounts;
  let increment: AccountCall;
  const tokens: Record<string, Address> = {};

  beforeAll(async () => {
    world = await SimpleAccounts.start();
    const counter = await world.deploy({ abi: demoCounterAbi, bytecode: demoCounterBytecode });
    increment = { to: await addressOf(counter), data: counter.interface.encodeFunctionData('increment') as Hex };
    const token = await world.deploy({ abi: demoTokenAbi, bytecode: demoTokenBytecode }, ['Demo', 'DEM', 6]);
    const proxy = await world.deploy(
      compileSolidity({ 'Proxied.sol': `pragma solidity 0.8.28; ${PROXY}` })['ERC1967Proxy']!,
      [await token.getAddress(), '0x'],
    );
    tokens['plain'] = await addressOf(token);
    tokens['proxied'] = await addressOf(proxy);
  });
  afterAll(() => world?.stop());

  it.each(ENTRY_POINT_VERSIONS.flatMap((version) => ['plain', 'proxied'].map((kind) => [version, kind] as const)))(
    'v%s, %s token: takes less than the head-room with a third to spare',
    async (version, kind) => {
      const sender = await world.deployedAccount(version, world.deployer.address, kind === 'plain' ? 1 : 2);
      const alone = simpleAccountCallData(version, [increment]);
      const batch = simpleAccountCallData(version, [approveOf(tokens[kind]!), increment]);
      const callGas = (await gasOf(version, sender, batch)) - (await gasOf(version, sender, alone));
      expect(callGas).toBeGreaterThan(22_000n);
      expect(callGas).toBeLessThan((APPROVE_HEADROOM.callGas * 2n) / 3n);
    },
  );

  it.each(ENTRY_POINT_VERSIONS)('v%s: its call data fit the head-room, also at the floor of EIP-7623', (version) => {
    for (const bytes of [4, 8_000]) {
      const call: AccountCall = { to: increment.to, data: `0x${'ff'.repeat(bytes)}` };
      const alone = simpleAccountCallData(version, [call]);
      const batch = simpleAccountCallData(version, [approveOf(tokens['plain']!), call]);
      const added = preVerificationGasOf(version, batch) - preVerificationGasOf(version, alone);
      expect(added).toBeGreaterThan(2_000n);
      expect(added).toBeLessThanOrEqual(APPROVE_HEADROOM.preVerificationGas);
    }
  });

  const approveOf = (token: Address): AccountCall => ({
    to: token,
    data: new Interface(demoTokenAbi).encodeFunctionData('approve', [spender, 2n ** 256n - 1n]) as Hex,
  });

  /** Gas of the EntryPoint's call to the account, measured from inside. */
  function gasOf(version: EntryPointVersion, sender: Address, callData: Hex): Promise<bigint> {
    const entryPoint = world.entryPoint(version);
    const data = puppet.encodeFunctionData('execute', [sender, callData]) as Hex;
    const parse = (returned: unknown) => {
      const outcome = puppet.decodeFunctionResult('execute', parseBytes(returned, 'execute'));
      expect(outcome['success']).toBe(true);
      return outcome['gasUsed'] as bigint;
    };
    return world.provider.ethCall({ to: entryPoint, data }, parse, {
      [entryPoint]: { code: paymasterPuppetRuntimeBytecode },
    });
  }
});

/** The operations differ only in their call data. */
function preVerificationGasOf(version: EntryPointVersion, callData: Hex): bigint {
  const builder = version === '0.6' ? userOperationV06Builder() : userOperationV07Builder(version);
  const operation = { ...builder.build(), callData, ...SAME_FIELDS };
  return gasReference(operation, `0x${'ff'.repeat(251)}`).preVerificationGas;
}

async function addressOf(contract: Contract): Promise<Address> {
  return normalizeAddress(await contract.getAddress());
}
