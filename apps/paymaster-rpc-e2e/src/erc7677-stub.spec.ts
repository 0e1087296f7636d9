import { type Hex } from 'viem';
import { readStack } from '@paymaster/devnet';
import type { EntryPointVersion } from '@paymaster/domain';
import { submit, land } from './support/bundler';
import { execute } from './support/call-data';
import { INCREMENT } from './support/demo-contract';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { refusalByEntryPoint } from './support/handle-ops';
import { call, resultOf } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { packPaymasterAndData, SPONSORED } from './support/sponsor';
import { signOperation, type WireOperation } from './support/wire-operation';

const stack = readStack();
const { address: demo } = stack.demoContract;

let paymaster: FreshPaymaster;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
});

/** An operation, the stub for it and the final data. */
async function pairOf(version: EntryPointVersion) {
  const account = await newSimpleAccount(stack, version);
  const operation = await draftOperation(stack, account, { callData: execute({ to: demo, data: INCREMENT }) });
  const limits = { callGasLimit: '0x186a0', verificationGasLimit: '0x61a80', preVerificationGas: '0xea60' } as const;
  const complete: WireOperation = { ...operation, ...limits };
  const params = [complete, stack.entryPoints[version], `0x${stack.chainId.toString(16)}`, null];
  const stub = resultOf<Erc7677>(await call({ url: paymaster.url, method: 'pm_getPaymasterStubData', params }));
  // On v0.9 the stub's times are signed where the client sends them back.
  const asked = [{ ...complete, ...stub }, ...params.slice(1)];
  const data = resultOf<Erc7677>(await call({ url: paymaster.url, method: 'pm_getPaymasterData', params: asked }));
  return { account, complete, stub, data };
}

describe.each(['0.6', '0.7', '0.8', '0.9'] as const)('the ERC-7677 stub on v%s', (version) => {
  const pair = () => pairOf(version);

  it('answers exactly the standard keys, limits as hex', async () => {
    const { stub, data } = await pair();
    const hex = expect.stringMatching(/^0x[0-9a-f]+$/);
    const expected =
      version === '0.6'
        ? { paymasterAndData: hex }
        : {
            paymaster: hex,
            paymasterData: hex,
            paymasterVerificationGasLimit: hex,
            paymasterPostOpGasLimit: hex,
            ...(version === '0.9' && { paymasterSignature: hex }),
          };
    const { isFinal = false, ...shape } = stub;
    expect(isFinal).toBe(false);
    expect(shape).toEqual(expected);
    expect(data).toEqual(expected);
  });

  it('has the length of the final data and no more zero bytes', async () => {
    const { stub, data } = await pair();
    const [stubBytes, finalBytes] = [bytesOf(packed(stub)), bytesOf(packed(data))];
    expect(stubBytes).toHaveLength(finalBytes.length);
    expect(zeros(stubBytes)).toBeLessThanOrEqual(zeros(finalBytes));
  });

  it('never passes validation: AA34', async () => {
    const { account, complete, stub, data } = await pair();
    const { isFinal: _isFinal, ...fields } = stub;
    const context = { stack, version, owner: account.owner };
    const withStub = await signOperation({ ...complete, ...fields }, context);
    expect(await refusalByEntryPoint(stack, version, withStub)).toMatch(/^AA34/);
    expect((await submit(stack, version, withStub)).body.error?.message).toMatch(/AA34|paymaster signature/);

    // The same operation with the final data passes: nothing but the stub was wrong with it.
    const event = await land(stack, version, await signOperation({ ...complete, ...data }, context));
    expect(event.success).toBe(true);
  });
});

describe('the stub on v0.9, signed by the account before the paymaster signs', () => {
  const version = '0.9';

  it("lands with the paymaster's signature put in last, and with no flipped byte of it", async () => {
    const { account, complete, stub, data } = await pairOf(version);
    const { paymasterSignature: _stub, ...terms } = stub;
    expect(data).toMatchObject(terms);
    const signed = await signOperation({ ...complete, ...stub } as WireOperation, {
      ...{ stack, version, owner: account.owner },
    });
    const bytes = bytesOf(data.paymasterSignature as Hex);
    // Of r, of s, and v.
    for (const at of [0, 31, 63, 64]) {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      const operation = { ...signed, paymasterSignature: `0x${flipped.toString('hex')}` } as const;
      expect((await submit(stack, version, operation)).body.error?.message).toMatch(/AA3[34]|paymaster/);
    }
    const event = await land(stack, version, { ...signed, paymasterSignature: data.paymasterSignature as Hex });
    expect(event).toMatchObject({ success: true, sender: account.address });
  });
});

interface Erc7677 {
  readonly isFinal?: boolean;
  readonly paymasterAndData?: Hex;
  readonly paymaster?: Hex;
  readonly paymasterData?: Hex;
  readonly paymasterSignature?: Hex;
  readonly paymasterVerificationGasLimit?: Hex;
  readonly paymasterPostOpGasLimit?: Hex;
}

function packed(answer: Erc7677): Hex {
  return answer.paymasterAndData ?? packPaymasterAndData(answer as Required<Erc7677>);
}

const bytesOf = (hex: Hex) => Buffer.from(hex.slice(2), 'hex');
const zeros = (bytes: Buffer) => bytes.filter((byte) => byte === 0).length;

describe('the mode object of the SDKs', () => {
  it('is taken by the ERC-7677 methods as their context', async () => {
    const account = await newSimpleAccount(stack, '0.7');
    const operation = await draftOperation(stack, account, { callData: execute({ to: demo, data: INCREMENT }) });
    const zero = { callGasLimit: '0x0', verificationGasLimit: '0x0', preVerificationGas: '0x0' } as const;
    const params = [{ ...operation, ...zero }, stack.entryPoints['0.7'], `0x${stack.chainId.toString(16)}`, SPONSORED];
    const data = resultOf<Partial<WireOperation>>(
      await call({ url: paymaster.url, method: 'pm_getPaymasterData', params }),
    );

    // Zero limits and calculateGasLimits true: every limit comes back, final.
    const limits = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;
    for (const limit of limits) expect(BigInt(data[limit] ?? 0)).toBeGreaterThan(0n);
    const signed = await signOperation({ ...operation, ...data }, { stack, version: '0.7', owner: account.owner });
    expect(await land(stack, '0.7', signed)).toMatchObject({ success: true });
  });
});
