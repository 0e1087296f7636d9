import { Injectable } from '@nestjs/common';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PoliciesRepository } from '../../programs/policies/policies.repository';
import { SmartContractsRepository } from '../../programs/smart-contracts/smart-contracts.repository';
import { SmartContractsService } from '../../programs/smart-contracts/smart-contracts.service';
import { TokensService } from '../../programs/tokens/tokens.service';
import type { Operation, OperationTarget } from './operation';

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
    const [contracts, policies, tokens] = await Promise.all([
      this.contractNames.namesOf(paymaster.id),
      this.policies.namesOf(paymaster.id),
      this.tokens.list(paymaster),
    ]);
    const symbols = new Map(tokens.map(({ address, symbol }) => [address, symbol]));
    /** Each ABI is read once, whatever strangers call: all of a paymaster's together are bounded. */
    const methods = new Map<string, ReadonlyMap<string, string>>();
    return {
      contract: (address) => contracts.get(address),
      policy: (id) => policies.get(id),
      token: (address) => symbols.get(address),
      method: ({ to, selector }) => shown(methods.get(to)?.get(selector ?? '')),
      learn: async (operations) => {
        const called = new Set(operations.flatMap(({ targets }) => (targets ?? []).map(({ to }) => to)));
        for (const address of called) {
          if (!contracts.has(address) || methods.has(address)) continue;
          methods.set(address, await this.contracts.signaturesOf(paymaster, address));
        }
      },
    };
  }
}

function shown(signature: string | undefined): string | undefined {
  if (signature === undefined || signature.length <= SHOWN_CHARACTERS) return signature;
  return `${signature.slice(0, SHOWN_CHARACTERS)}…`;
}
