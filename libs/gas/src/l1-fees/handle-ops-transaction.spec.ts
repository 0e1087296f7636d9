import type { Hex, UserOperation } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { AbiCoder, Transaction } from 'ethers';
import { initCodeOf } from '@paymaster/domain';
import { fastLzLength } from './fast-lz';
import { handleOpsTransaction } from './handle-ops-transaction';

const place = { chainId: 8453, entryPoint: randomAddress() };
const paymasterAndData = randomHex(52 + 41 + 65);
const V06 = '(address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[]';
const PACKED = '(address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[]';

const unsigned = (operation: UserOperation, data: Hex = paymasterAndData) =>
  handleOpsTransaction({ operation, paymasterAndData: data }, place);
const parse = (operation: UserOperation) => {
  const hex = `0x${Buffer.from(unsigned(operation)).toString('hex')}`;
  return { hex, transaction: Transaction.from(hex) };
};
const withoutSignature = (bytes: string) => bytes.slice(0, -130);
const SUFFIX = '004122e325a297439656';

describe('handleOpsTransaction', () => {
  it.each(['0.6', '0.7', '0.8', '0.9'] as const)('is the call of the EntryPoint with one operation, v%s', (version) => {
    const operation: UserOperation =
      version === '0.6'
        ? userOperationV06Builder().with('initCode', randomHex(90)).build()
        : userOperationV07Builder(version).with('factory', randomAddress()).with('factoryData', randomHex(70)).build();
    const { hex, transaction } = parse(operation);

    expect(transaction.unsignedSerialized).toBe(hex);
    expect(transaction).toMatchObject({ type: 2, chainId: 8453n });
    expect(transaction.to?.toLowerCase()).toBe(place.entryPoint);
    expect(transaction.data.slice(0, 10)).toBe(version === '0.6' ? '0x1fad948c' : '0x765e827f');
    const types = [version === '0.6' ? V06 : PACKED, 'address'];
    const [[carried]] = AbiCoder.defaultAbiCoder().decode(types, `0x${transaction.data.slice(10)}`);
    const [sender, nonce, initCode, callData] = carried;
    expect([sender.toLowerCase(), nonce, initCode, callData]).toEqual([
      ...[operation.sender, operation.nonce, initCodeOf(operation), operation.callData],
    ]);
    const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = operation;
    const gas = carried.slice(4, -2).map(BigInt);
    const pack = (high: bigint, low: bigint) => (high << 128n) | low;
    expect([...gas]).toEqual(
      version === '0.6'
        ? [callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas]
        : [pack(verificationGasLimit, callGasLimit), preVerificationGas, pack(maxPriorityFeePerGas, maxFeePerGas)],
    );
    expect(withoutSignature(carried.at(-2))).toBe(withoutSignature(paymasterAndData));
    expect([carried.at(-2).length, carried.at(-1).length]).toEqual([paymasterAndData.length, 132]);
  });

  it('puts another signature in front of the suffix of v0.9', () => {
    const transaction = Transaction.from(
      `0x${Buffer.from(unsigned(userOperationV07Builder('0.9').build(), `${paymasterAndData}${SUFFIX}`)).toString('hex')}`,
    );
    const [[carried]] = AbiCoder.defaultAbiCoder().decode([PACKED, 'address'], `0x${transaction.data.slice(10)}`);
    const data = String(carried.at(-2));
    expect(data.slice(0, -150)).toBe(withoutSignature(paymasterAndData));
    expect(data.slice(-150, -20)).not.toBe(paymasterAndData.slice(-130));
    expect(data.slice(-20)).toBe(SUFFIX);
  });

  it('carries an EIP-7702 authorization', () => {
    const eip7702Auth = { chainId: 8453n, address: randomAddress(), nonce: 300n, r: 2n ** 255n, s: 2n ** 200n, yParity: 1 as const }; // prettier-ignore
    const { hex, transaction } = parse(userOperationV07Builder('0.8').with('eip7702Auth', eip7702Auth).build());
    expect(transaction.unsignedSerialized).toBe(hex);
    const [authorization] = transaction.authorizationList ?? [];
    expect(authorization).toMatchObject({ chainId: 8453n, nonce: 300n });
  });

  it('counts dummy signatures, which compress to nothing, like real ones', () => {
    const operation = userOperationV07Builder().build();
    const dummy = { ...operation, signature: `0x${'ff'.repeat(65)}` as Hex };
    const stub = `${withoutSignature(paymasterAndData)}${'ab'.repeat(65)}` as Hex;
    expect(fastLzLength(unsigned(dummy, stub))).toBe(fastLzLength(unsigned(operation)));
  });

  it('counts the whole signature that is sent', () => {
    const operation = userOperationV07Builder().build();
    const sized = (signature: string) => unsigned({ ...operation, signature: `0x${signature}` }).length;
    const padded = (bytes: number) => Math.ceil(bytes / 32) * 32;
    const none = sized('');
    expect(sized('ab'.repeat(65)) - none).toBe(96);
    expect(sized('ab'.repeat(600)) - none).toBe(padded(600));
  });
});
