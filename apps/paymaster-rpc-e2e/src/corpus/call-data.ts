import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem';
import type { Hex } from '@paymaster/domain';
import { execute, executeBatch } from '../support/call-data';
import { INCREMENT, RESET, TIP } from '../support/demo-contract';
import { AS_SENT, SPONSORED } from '../support/sponsor';
import { callData, NOT_SPONSORED, params, REFUSED, type BadInput, type Given } from './bad-input';

const STRANGER = '0x00000000000000000000000000000000000000bb';
const EXECUTE = toFunctionSelector('execute(address,uint256,bytes)');
const EXECUTE_BATCH = toFunctionSelector('executeBatch(address[],bytes[])');
const EXECUTE_7579 = toFunctionSelector('execute(bytes32,bytes)');
const EXECUTE_USER_OP: Hex = '0x8dd7712f';

const word = (value: bigint | number): Hex => numberToHex(value, { size: 32 });
const address = (value: Hex): Hex => word(BigInt(value));

/** `execute(demo, 0, bytes at offset)` with the bytes written by hand. */
const executeAt = (offset: bigint, tail: Hex) =>
  callData(({ demo }) => concat([EXECUTE, address(demo), word(0), word(offset), tail]));

const lengths = (targets: number, datas: number) =>
  callData(({ demo }) =>
    concat([
      EXECUTE_BATCH,
      encodeAbiParameters(parseAbiParameters('address[], bytes[]'), [
        Array<Hex>(targets).fill(demo),
        Array<Hex>(datas).fill(INCREMENT),
      ]),
    ]),
  );

const userOp07 = (given: Given, data: Hex) => params({ ...given.good07, callData: data }, AS_SENT);

/** ERC-7579 `execute` of one call in a mode; 0xff is delegatecall. */
const erc7579 = (callType: Hex, { demo }: Given): Hex =>
  concat([
    EXECUTE_7579,
    encodeAbiParameters(parseAbiParameters('bytes32, bytes'), [
      `${callType}${'00'.repeat(31)}` as Hex,
      concat([demo, word(0), INCREMENT]),
    ]),
  ]);

/** Corpus C3, second half: call data that is not what it seems. Deny by default: what is not understood is refused. */
export const callDatas: readonly BadInput[] = [
  {
    number: 89,
    title: 'a listed contract, a method that is not',
    send: callData(({ demo }) => execute({ to: demo, data: RESET })),
    error: NOT_SPONSORED,
  },
  {
    number: 89,
    title: 'a listed contract, no method',
    send: callData(({ demo }) => execute({ to: demo, data: '0x' })),
    error: NOT_SPONSORED,
  },
  {
    number: 89,
    title: 'a listed contract, 3 bytes of a listed method',
    send: callData(({ demo }) => execute({ to: demo, data: INCREMENT.slice(0, 8) as Hex })),
    error: NOT_SPONSORED,
  },
  {
    number: 89,
    title: 'value and a payable method that is not listed',
    send: callData(({ demo }) => execute({ to: demo, data: TIP, valueWei: 1n })),
    error: NOT_SPONSORED,
  },
  {
    number: 90,
    title: 'a contract that is not registered, a listed method',
    send: callData(() => execute({ to: STRANGER, data: INCREMENT })),
    error: { code: -32501, message: /Smart contract data not found/ },
  },
  { number: 91, title: 'executeBatch with two targets and one call', send: lengths(2, 1), error: REFUSED },
  { number: 91, title: 'executeBatch with one target and two calls', send: lengths(1, 2), error: REFUSED },
  { number: 91, title: 'executeBatch of nothing', send: lengths(0, 0), error: REFUSED },
  {
    number: 92,
    title: 'batch of 500 listed calls: any answer, but in time',
    send: callData(({ demo }) => executeBatch('0.6', Array(500).fill({ to: demo, data: INCREMENT }))),
    error: { code: [-32602, -32501, -32508] },
    result: true,
  },
  {
    number: 92,
    title: 'batch of 500 with a bad call at its end',
    send: callData(({ demo }) =>
      executeBatch('0.6', [...Array(499).fill({ to: demo, data: INCREMENT }), { to: demo, data: RESET }]),
    ),
    error: REFUSED,
  },
  {
    number: 93,
    title: 'executeBatch nested 20 deep around a listed call',
    send: callData(({ demo, account }) => {
      let data = execute({ to: demo, data: INCREMENT });
      for (let depth = 0; depth < 20; depth++) data = executeBatch('0.6', [{ to: account.address, data }]);
      return data;
    }),
    error: NOT_SPONSORED,
  },
  {
    number: 94,
    title: 'offset pointing backwards',
    send: executeAt(0n, concat([word(4), INCREMENT, word(0).slice(0, 58) as Hex])),
    error: REFUSED,
  },
  { number: 94, title: 'offset past the end', send: executeAt(4_096n, word(0)), error: REFUSED },
  { number: 94, title: 'length past the end', send: executeAt(96n, word(10_000)), error: REFUSED },
  { number: 95, title: 'offset 2^255', send: executeAt(2n ** 255n, word(0)), error: REFUSED },
  { number: 95, title: 'offset that overflows 2^256', send: executeAt(2n ** 256n - 32n, word(0)), error: REFUSED },
  { number: 95, title: 'length 2^256-1', send: executeAt(96n, word(2n ** 256n - 1n)), error: REFUSED },
  {
    number: 94,
    title: 'address word with dirty upper bytes',
    send: callData(({ demo }) =>
      concat([
        EXECUTE,
        `0x${'ff'.repeat(12)}${demo.slice(2)}`,
        word(0),
        word(96),
        word(4),
        INCREMENT,
        `0x${'00'.repeat(28)}`,
      ]),
    ),
    error: REFUSED,
  },
  {
    number: 96,
    title: 'trailing garbage after valid arguments, which the chain ignores',
    send: callData(({ demo }) => concat([execute({ to: demo, data: INCREMENT }), `0x${'ee'.repeat(40)}`])),
    error: REFUSED,
    result: true,
  },
  {
    number: 97,
    title: 'ERC-7579 delegatecall',
    send: (given) => userOp07(given, erc7579('0xff', given)),
    error: NOT_SPONSORED,
  },
  {
    number: 97,
    title: 'ERC-7579 static call mode',
    send: (given) => userOp07(given, erc7579('0xfe', given)),
    error: NOT_SPONSORED,
  },
  {
    number: 98,
    title: 'executeUserOp prefix around a method that is not listed',
    send: (given) => userOp07(given, concat([EXECUTE_USER_OP, execute({ to: given.demo, data: RESET })])),
    error: NOT_SPONSORED,
  },
  {
    number: 98,
    title: 'executeUserOp prefix around nothing',
    send: (given) => userOp07(given, EXECUTE_USER_OP),
    error: REFUSED,
  },
  {
    number: 99,
    title: 'initCode with an unknown factory',
    send: ({ good }) => params({ ...good, initCode: `${STRANGER}${(good.initCode ?? '0x').slice(42)}` }, AS_SENT),
    error: NOT_SPONSORED,
  },
  {
    number: 99,
    title: 'initCode of 19 bytes',
    send: ({ good }) => params({ ...good, initCode: `0x${'11'.repeat(19)}` }, AS_SENT),
    error: { code: -32602, message: /initCode/ },
  },
  {
    number: 100,
    title: 'initCode though the sender is deployed',
    send: ({ deployed, account, stack }) =>
      params(
        {
          ...deployed,
          initCode: concat([
            stack.accountFactories['0.6'],
            encodeFunctionData({
              abi: parseAbi(['function createAccount(address owner, uint256 salt)']),
              args: [account.owner.address, 0n],
            }),
          ]),
        },
        SPONSORED,
      ),
    error: REFUSED,
  },
  {
    number: 100,
    title: 'factoryData without factory',
    send: ({ good07 }) => params({ ...good07, factory: undefined }, AS_SENT),
    error: REFUSED,
  },
  {
    number: 100,
    title: 'factory without factoryData',
    send: ({ good07 }) => params({ ...good07, factoryData: undefined }, SPONSORED),
    error: REFUSED,
  },
];
