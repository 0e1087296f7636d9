/** Token mode's fields of an operation on a test chain: the layout is docs/architecture/paymaster-data.md. */
import { concat, encodeFunctionData, pad, parseAbi, parseSignature, toHex } from 'viem';

export const WAYS = { allowance: 1, permit: 2, batchApproval: 3 };

export const tokenAbi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function mint(address account, uint256 amount)',
  'function nonces(address owner) view returns (uint256)',
]);
const accountAbi = parseAbi(['function executeBatch(address[] targets, bytes[] datas)']);

const MAX_CHARGE = 10n ** 24n;
const bytes = (value, size) => pad(toHex(value), { size });

/**
 * @param way One of WAYS.
 * @param permit The 129 bytes of way permit.
 */
export function tokenFields({ way, token, feeReceiver, permit = '0x' }) {
  const rate = 3_000n * 10n ** 18n;
  return concat([
    bytes(way, 1),
    token,
    bytes(rate, 24),
    bytes(1_020_000, 4),
    feeReceiver,
    bytes(MAX_CHARGE, 24),
    permit,
  ]);
}

/** As the gateway sets it, for a token whose transfer takes no more than 60,000 gas. */
export function tokenGas(gas, way) {
  const transferGas = 60_000;
  const unaccountedGas = gas.tokenPostOpBaseGas + transferGas;
  const validationGas =
    gas.tokenValidationGas +
    (way === WAYS.batchApproval ? 0 : transferGas) +
    (way === WAYS.permit ? gas.tokenPermitGas : 0);
  return {
    unaccountedGas,
    paymasterVerificationGasLimit: validationGas,
    paymasterPostOpGasLimit: unaccountedGas + Math.floor(unaccountedGas / 32) + gas.tokenPostOpMargin,
  };
}

/** `approve` in front of the account's own call. */
export function batchWithApproval({ token, spender, sender, call }) {
  const approve = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, MAX_CHARGE] });
  return encodeFunctionData({
    abi: accountAbi,
    functionName: 'executeBatch',
    args: [
      [token, sender],
      [approve, call],
    ],
  });
}

/** An EIP-2612 permit of a smart account, signed with its owner's key (ERC-1271). */
export async function signPermit({ client, accountOwner, token, tokenName, sender, spender }) {
  const { timestamp } = await client.getBlock();
  const deadline = timestamp + 3_600n;
  const nonce = await client.readContract({ address: token, abi: tokenAbi, functionName: 'nonces', args: [sender] });
  const signature = await accountOwner.signTypedData({
    domain: { name: tokenName, version: '1', chainId: await client.getChainId(), verifyingContract: token },
    types: {
      Permit: ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'].map(
        (member) => {
          const [type, name] = member.split(' ');
          return { type, name };
        },
      ),
    },
    primaryType: 'Permit',
    message: { owner: sender, spender, value: MAX_CHARGE, nonce, deadline },
  });
  const { r, s, v } = parseSignature(signature);
  return concat([bytes(MAX_CHARGE, 32), bytes(deadline, 32), r, s, bytes(v, 1)]);
}
