/**
 * The rules a bundler in safe mode applies to token mode's validation (ERC-7562), on a trace of the real call. A staked
 * paymaster may touch the token's slots of itself (STO-032) and, as everyone, those of the sender (STO-021).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeEventLog, encodeAbiParameters, keccak256 } from 'viem';
import { entryPointAbi, paymasterAbi, startChain, STUB_SIGNATURE, VERSIONS } from './chain.mjs';
import { tokenAbi, WAYS } from './token-terms.mjs';
import {
  addressOf,
  CALLS,
  codeReads,
  ECRECOVER,
  FORBIDDEN,
  gasApartFromFirstTouches,
  STORAGE,
  validationsIn,
  word,
} from './traces.mjs';

/** More slots than the test token has. */
const SLOTS = 12n;
const slotOf = (key, slot) =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [key, BigInt(slot)]));

/** Slots of mappings (and of mappings of mappings) that belong to the sender or to the paymaster. */
function associatedSlots(...accounts) {
  const slots = new Set();
  for (let slot = 0n; slot < SLOTS; slot++) {
    for (const account of accounts) {
      slots.add(BigInt(slotOf(account, slot)));
      for (const inner of accounts) slots.add(BigInt(slotOf(account, slotOf(inner, slot))));
    }
  }
  return slots;
}

/** What validation calls from its own frame, or from wherever it goes on to. */
const EXPECTED_CALLS = {
  allowance: ['ecrecover', 'balanceOf', 'transferFrom', 'balanceOf'],
  permit: ['ecrecover', 'permit', 'isValidSignature', 'ecrecover', 'balanceOf', 'transferFrom', 'balanceOf'],
  batchApproval: ['ecrecover'],
};
const TARGETS = {
  balanceOf: 'token',
  transferFrom: 'token',
  permit: 'token',
  isValidSignature: 'sender',
  ecrecover: 'precompile',
};

for (const version of VERSIONS) {
  describe(`token mode on EntryPoint ${version}`, () => {
    let chain;
    before(async () => {
      chain = await startChain(version);
    });
    after(() => chain?.stop());

    async function validationOf(way, options) {
      const op = await chain.operation(chain.accounts[0], { way: WAYS[way], ...options });
      const validations = validationsIn(await chain.trace([op]), chain);
      assert.equal(validations.length, 1, 'validations found in the trace');
      return validations[0];
    }

    const cases = [
      ['batchApproval', 'the stub', { signature: STUB_SIGNATURE }],
      ['batchApproval', 'a good signature', undefined],
      ['permit', 'a good signature', undefined],
      ['allowance', 'a good signature', undefined],
    ];
    for (const [way, title, options] of cases) {
      test(`validation of way ${way} with ${title} keeps the rules`, async () => {
        const { steps } = await validationOf(way, options);
        const is =
          (address) =>
          ({ address: a }) =>
            a === address.toLowerCase();

        // A permit's deadline is read by the token, which is why a bundler in safe mode may refuse this way.
        const forbidden = steps.filter(({ op }) => FORBIDDEN.has(op));
        assert.deepEqual(
          forbidden.map(({ op, address }) => [op, address]),
          way === 'permit' ? [['TIMESTAMP', chain.token.toLowerCase()]] : [],
        );
        const loneGas = steps.filter(({ op, next }) => op === 'GAS' && !CALLS.has(next));
        assert.equal(loneGas.length, 0, 'GAS only right before a call (OP-012)');

        const targets = steps.filter(({ op }) => CALLS.has(op)).map(({ stack }) => addressOf(stack.at(-2)));
        const addresses = {
          token: chain.token.toLowerCase(),
          sender: chain.accounts[0].toLowerCase(),
          precompile: addressOf(`0x${ECRECOVER.toString(16)}`),
        };
        assert.deepEqual(
          targets,
          EXPECTED_CALLS[way].map((name) => addresses[TARGETS[name]]),
          EXPECTED_CALLS[way].join(', '),
        );

        // The sender has code when the paymaster is asked, so OP-041 is kept.
        assert.deepEqual(codeReads(steps, chain.paymaster), [['EXTCODESIZE', addresses.sender]]);

        const touched = steps.filter(({ op }) => STORAGE.has(op));
        const own = touched.filter(is(chain.paymaster));
        const inToken = touched.filter(is(chain.token));
        assert.equal(own.length + inToken.length, touched.length, "only the paymaster's storage and the token's");
        assert.ok(own.length >= 4, 'signer, pause, wallet and in-flight mark');
        assert.equal(inToken.length > 0, way !== 'batchApproval', 'the token is touched where it is charged');
        const allowed = associatedSlots(chain.accounts[0], chain.paymaster);
        for (const { stack, op } of inToken) assert.ok(allowed.has(word(stack.at(-1))), `${op} of an associated slot`);
      });
    }

    test('five operations of one wallet in a bundle are within a tenth of each other apart from storage (EREP-070)', async () => {
      for (const way of Object.values(WAYS)) {
        const ops = [];
        for (const account of chain.accounts) ops.push(await chain.operation(account, { way }));
        const [first, ...others] = gasApartFromFirstTouches(validationsIn(await chain.trace(ops), chain));
        assert.equal(others.length, 4);
        for (const other of others)
          assert.ok(other / first > 0.9 && other / first < 1.1, `way ${way}: ${other / first}`);
      }
    });

    test('a bundle of all ways lands on a real chain, and the books balance', async () => {
      const ways = [WAYS.permit, WAYS.batchApproval, WAYS.allowance];
      const ops = [];
      for (const [i, way] of ways.entries()) ops.push(await chain.operation(chain.accounts[i], { way }));
      const balance = (account) =>
        chain.client.readContract({ address: chain.token, abi: tokenAbi, functionName: 'balanceOf', args: [account] });
      const before = await Promise.all(chain.accounts.slice(0, 3).map(balance));

      const receipt = await chain.send(ops);

      const events = receipt.logs.flatMap((log) => {
        const abi = log.address.toLowerCase() === chain.paymaster.toLowerCase() ? paymasterAbi : entryPointAbi;
        try {
          return [decodeEventLog({ abi, ...log })];
        } catch {
          return [];
        }
      });
      const landed = events.filter(({ eventName }) => eventName === 'UserOperationEvent');
      assert.deepEqual(
        landed.map(({ args }) => args.success),
        [true, true, true],
      );
      const paid = events.filter(({ eventName }) => eventName === 'UserOperationPaidInToken').map(({ args }) => args);
      assert.equal(paid.length, 3);
      for (const [i, { charged }] of paid.entries()) {
        assert.ok(charged > 0n);
        assert.equal(before[i] - (await balance(chain.accounts[i])), charged, 'the sender paid the charge, no more');
      }
      const income = (await balance(chain.feeReceiver)) + (await balance(chain.paymaster));
      assert.equal(
        income,
        paid.reduce((sum, { charged }) => sum + charged, 0n),
        'receiver and paymaster have it',
      );
    });
  });
}
