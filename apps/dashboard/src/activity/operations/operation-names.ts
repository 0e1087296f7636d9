import { Injectable } from '@nestjs/common';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PoliciesRepository } from '../../programs/policies/policies.repository';
import { SmartContractsRepository } from '../../programs/smart-contracts/smart-contracts.repository';
import { SmartContractsService } from '../../programs/smart-contracts/smart-contracts.service';
import { TokensService } from '../../programs/tokens/tokens.service';
import type { Operation, OperationTarget } from './operation';

/** The methods whose names are kept at a time: strangers can make operations that call any. */
const MOST_METHODS = 5_000;
/** A signature can be as long as an ABI. */
const SHOWN_CHARACTERS = 200;

/** What a paymaster has registered now, by the ids in its operations; undefined for what is not registered. */
export interface NamesOfPaymaster {
  contract(address: string): string | undefined;
  /** The signature, of a call that was {@link NamesOfPaymaster.learn learnt}. */
  method(call: OperationTarget): string | undefined;
  policy(id: string): string | undefined;
  /** The symbol. */
  token(address: string): string | undefined;
  /** Reads the ABIs that name the methods of these operations. */
  learn(operations: readonly Operation[]): Promise<void>;
}

/** Names the contracts, methods, policies and tokens of operations. */
@Injectable()
export class OperationNames {
  constructor(
    private readonly contracts: SmartContractsService,
    private readonly contractNames: SmartContractsRepository,
    private readonly policies: PoliciesRepository,
    private readonly tokens: TokensService,
  ) {}

  async of(paymaster: Paymaster): Promise<NamesOfPaymaster> {
    const [contracts, own, shared, tokens] = await Promise.all([
      this.contractNames.namesOf(paymaster.id),
      this.policies.listOf(paymaster.id),
      this.policies.sharedOf(paymaster.id),
      this.tokens.list(paymaster),
    ]);
    const policies = new Map([...own, ...shared].map(({ id, name }) => [id, name]));
    const symbols = new Map(tokens.map(({ address, symbol }) => [address, symbol]));
    const methods = new Map<string, string | undefined>();
    return {
      contract: (address) => contracts.get(address),
      policy: (id) => policies.get(id),
      token: (address) => symbols.get(address),
      method: (call) => methods.get(keyOf(call)),
      learn: async (operations) => {
        if (methods.size > MOST_METHODS) methods.clear();
        const calls = operations.flatMap(({ targets }) => targets ?? []);
        const unknown = calls.filter((call) => contracts.has(call.to) && !methods.has(keyOf(call)));
        for (const address of new Set(unknown.map(({ to }) => to))) {
          const signatures = await this.contracts.signaturesOf(paymaster, address);
          for (const call of unknown.filter(({ to }) => to === address)) {
            methods.set(keyOf(call), shown(signatures.get(call.selector ?? '')));
          }
        }
      },
    };
  }
}

function keyOf({ to, selector }: OperationTarget): string {
  return `${to}:${selector}`;
}

function shown(signature: string | undefined): string | undefined {
  if (signature === undefined || signature.length <= SHOWN_CHARACTERS) return signature;
  return `${signature.slice(0, SHOWN_CHARACTERS)}…`;
}
