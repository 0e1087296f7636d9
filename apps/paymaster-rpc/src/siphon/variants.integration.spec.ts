import { encodeFunctionData } from 'viem';
import type { Hex, UserOperation } from '@paymaster/domain';
import { testContracts } from '../testing/compile-contracts';
import type { PaidOperation } from '../testing/token-call';
import { SiphonAccounts, type Account } from './accounts';
import { SiphonWorld, type Haul } from './siphon-world';

const BASE_FEE_WEI = 15_000_000_000n;
const WORK: Hex = '0x5858d161';

let siphon: SiphonWorld;
beforeAll(async () => {
  siphon = await SiphonWorld.start();
  await siphon.setBaseFee(BASE_FEE_WEI);
});
afterAll(() => siphon?.stop());

const MOST_OF_ONE = 1.1;
const SOME_SIGNATURE: Hex = `0x${'ff'.repeat(65)}`;

function multipleOf(haul: Haul | undefined): number {
  if (!haul) throw new Error('the bundle reverted');
  return Number((haul.receivedWei * 10_000n) / haul.costWei) / 10_000;
}

const workOf = (gas: bigint): Hex =>
  encodeFunctionData({ abi: testContracts().SiphonTarget.abi, functionName: 'work', args: [gas] });

/** Asks again with the limit that a refusal names. */
async function granted(draft: UserOperation): Promise<PaidOperation> {
  let operation = draft;
  for (let asked = 0; asked < 24; asked++) {
    const answer = await siphon.ask(operation);
    if (!('reason' in answer)) return answer;
    if (answer.reason === 'OPERATION_COST_CAP_EXCEEDED')
      operation = { ...operation, callGasLimit: (operation.callGasLimit * 9n) / 10n };
    else if (answer.field && answer.limit !== undefined) operation = { ...operation, [answer.field]: answer.limit };
    else throw new Error(`refused: ${answer.reason} ${answer.field}`);
  }
  throw new Error('never granted');
}

const FIELDS = {
  ...{ callGasLimit: 5_000_000n, verificationGasLimit: 100_000n, preVerificationGas: 1_000_000n },
  ...{ maxFeePerGas: 2n * BASE_FEE_WEI, maxPriorityFeePerGas: BASE_FEE_WEI / 100n },
};

describe.each(['0.7', '0.8', '0.9'] as const)(
  'on v%s a method that takes as much gas as its argument says',
  (version) => {
    it.each([
      // Up to this gas, one measurement counts for every call of a method (docs/threats.md).
      [40_000n, 1.15],
      [100_000n, MOST_OF_ONE],
      [4_000_000n, MOST_OF_ONE],
    ])(
      'that was measured with %s gas and lands with little brings him at most %s times what it costs',
      async (dearGas, most) => {
        const accounts = new SiphonAccounts(siphon);
        const target = await accounts.deploy('SiphonTarget');
        siphon.newPaymaster({ contracts: [{ address: target, selectors: [WORK] }] });
        const [dear, cheap] = [await accounts.make('simple', version), await accounts.make('simple', version)];
        const draft = async (account: Account, gas: bigint): Promise<UserOperation> => ({
          ...FIELDS,
          maxFeePerGas: BASE_FEE_WEI + FIELDS.maxPriorityFeePerGas,
          ...{
            sender: account.sender,
            nonce: await siphon.nextNonce(version, account.sender),
            signature: SOME_SIGNATURE,
          },
          ...{ entryPointVersion: version, callData: await account.encode([{ to: target, data: workOf(gas) }]) },
        });
        const first = await granted(await draft(cheap, 0n));
        await siphon.land([{ ...first, operation: { ...first.operation, signature: await cheap.sign(first) } }]);

        const { callGasLimit } = (await granted(await draft(dear, dearGas))).operation;
        const paid = await granted({ ...(await draft(cheap, 0n)), callGasLimit });
        const haul = await siphon.land([
          { ...paid, operation: { ...paid.operation, signature: await cheap.sign(paid) } },
        ]);
        expect(multipleOf(haul)).toBeLessThanOrEqual(most);
      },
    );
  },
);
