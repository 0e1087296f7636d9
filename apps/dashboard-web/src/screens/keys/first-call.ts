import { pickedOf, readMethods } from '../../abi/picked-methods';
import type { Chain, Schemas } from '../../api/queries';
import { hasExample, versionsOf, type Sdk, type SnippetCall } from './snippet-of';

/** A method that is sponsored, of the contract that was registered last. */
export function newestCall(contracts: readonly Schemas['SmartContractView'][]): SnippetCall | undefined {
  for (const contract of contracts.toReversed()) {
    const signature = [...pickedOf(contract, readMethods(contract.abi))].find(hasExample);
    if (signature !== undefined) return { to: contract.address, signature };
  }
  return undefined;
}

type Deposit = Schemas['WalletReportView']['accounts'][number];

/** Whether the deposit is one for accounts of an EntryPoint of that version, and not empty. */
export const holds = ({ entryPointVersion, balanceWei }: Deposit, version: string): boolean =>
  entryPointVersion === version && balanceWei !== '0';

/** One for which the SDK makes an account: where the wallet has a deposit, else the most usual that the chain has. */
export function entryPointOf(sdk: Sdk, { entryPoints }: Chain, deposits: readonly Deposit[]) {
  const usable = versionsOf(sdk).flatMap((version) => entryPoints.filter((each) => each.version === version));
  return usable.find(({ version }) => deposits.some((each) => holds(each, version))) ?? usable[0];
}
