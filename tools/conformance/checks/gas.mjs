import { concat, toQuantity } from 'ethers';
import { execute } from '../world/accounts.mjs';
import { allOf, failed, kindOf, mustRefuse, named, passed, shown } from '../world/outcome.mjs';
import { DATA } from '../world/session.mjs';

const TAIL_BYTES = 5_800;
/** More than twice what a transaction pays for a byte by EIP-7623. */
const GAS_OF_TAIL = 100n;
const INFLATED = 5_000_000n;

const times = (quantity, factor) => toQuantity(BigInt(quantity) * factor);

/** One field that brings the bundler more than his transaction costs. */
const lever = (id, title, sent, changesOf) => ({
  id: `gas.${id}`,
  title,
  source: 'docs/threats.md, "What each lever brings"',
  why: 'A stranger asks for allowed calls, sends the bundle himself, and earns the difference until the deposit is empty.',
  needs: ['call'],
  versions: true,
  sent: `${DATA}: ${sent}`,
  async attempt(session, version) {
    const { limits } = await session.estimate(version);
    const { maxFeePerGas, maxPriorityFeePerGas } = await session.fees();
    return mustRefuse(
      (await session.attack(version, changesOf({ ...limits, maxFeePerGas, maxPriorityFeePerGas }, session))).answer,
    );
  },
});

const tipTimes =
  (factor) =>
  ({ maxFeePerGas, maxPriorityFeePerGas }) => {
    const tip = (BigInt(maxPriorityFeePerGas) || 1_000_000_000n) * factor;
    return { maxPriorityFeePerGas: toQuantity(tip), maxFeePerGas: toQuantity(BigInt(maxFeePerGas) + tip) };
  };

export const gas = [
  lever('tip-10', 'a tip of ten times what the chain pays is refused', 'maxPriorityFeePerGas x 10', tipTimes(10n)),
  lever(
    'tip-100',
    'a tip of a hundred times what the chain pays is refused',
    'maxPriorityFeePerGas x 100',
    tipTimes(100n),
  ),
  lever(
    'equal-fees',
    'equal fees, far above the base fee, are refused',
    'maxFeePerGas x 20, as much tip',
    ({ maxFeePerGas }) => {
      const fee = times(maxFeePerGas, 20n);
      return { maxFeePerGas: fee, maxPriorityFeePerGas: fee };
    },
  ),
  lever('fee-absurd', 'a fee of 100 ether per gas is refused', 'maxFeePerGas 10^20', () => ({
    maxFeePerGas: toQuantity(10n ** 20n),
  })),
  lever(
    'tip-above-fee',
    'a tip above the fee is refused',
    'maxPriorityFeePerGas = maxFeePerGas + 1',
    ({ maxFeePerGas }) => ({
      maxPriorityFeePerGas: toQuantity(BigInt(maxFeePerGas) + 1n),
    }),
  ),
  lever(
    'pre-verification-gas',
    'ten times the preVerificationGas is refused',
    'preVerificationGas x 10',
    ({ preVerificationGas }) => ({
      preVerificationGas: times(preVerificationGas, 10n),
    }),
  ),
  lever('call-gas', 'a hundred times the call gas is refused', 'callGasLimit x 100', ({ callGasLimit }) => ({
    callGasLimit: times(callGasLimit, 100n),
  })),
  lever('verification-gas', 'ten million verification gas is refused', 'verificationGasLimit 10,000,000', () => ({
    verificationGasLimit: toQuantity(10_000_000n),
  })),
  lever(
    'tail',
    `${TAIL_BYTES.toLocaleString('en')} bytes behind the arguments of an allowed call are refused`,
    `the allowed call's data with ${TAIL_BYTES.toLocaleString('en')} bytes behind it, preVerificationGas with 100 gas for each`,
    ({ preVerificationGas }, { call }) => ({
      calls: execute({ ...call, data: concat([call.data, `0x${'ee'.repeat(TAIL_BYTES)}`]) }),
      preVerificationGas: toQuantity(BigInt(preVerificationGas) + GAS_OF_TAIL * BigInt(TAIL_BYTES)),
    }),
  ),
  lever(
    'all-at-once',
    'several raised together are refused',
    'tip x 4, preVerificationGas x 4, callGasLimit x 20',
    (fields) => ({
      ...tipTimes(4n)(fields),
      preVerificationGas: times(fields.preVerificationGas, 4n),
      callGasLimit: times(fields.callGasLimit, 20n),
    }),
  ),
  {
    id: 'gas.paymaster-limits',
    title: "the client's own limits for the paymaster are not taken over",
    source: 'ERC-7677: the service gives both limits',
    why: 'The paymaster pays for what its limits leave unused, and the bundler gets a part of it.',
    needs: ['call'],
    versions: ['0.7', '0.8', '0.9'],
    sent: `${DATA}: paymasterVerificationGasLimit and paymasterPostOpGasLimit 5,000,000`,
    async attempt(session, version) {
      const names = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'];
      const { answer, account, operation } = await session.attack(
        version,
        Object.fromEntries(names.map((name) => [name, toQuantity(INFLATED)])),
      );
      if (answer.kind !== 'result') return passed(shown(answer), kindOf(answer));
      const outcomes = [];
      for (const name of names) {
        const given = answer.result[name];
        if (given !== undefined) {
          outcomes.push(
            BigInt(given) < INFLATED / 2n
              ? passed('its own limits came', 'own limits')
              : named(name, failed(`${BigInt(given)} came`, 'inflated')),
          );
          continue;
        }
        // Nothing came back: the operation keeps what the client wrote, if the signature allows it.
        const reason = await session.tried(version, account, { ...operation, ...answer.result });
        outcomes.push(
          named(
            name,
            reason ? passed(reason, 'void with them') : failed('signed with the limits of the client', 'inflated'),
          ),
        );
      }
      return allOf(outcomes);
    },
  },
];
