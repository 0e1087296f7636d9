/**
 * The rules a bundler in safe mode applies to a paymaster's validation (ERC-7562), on a trace of the real call. alto
 * can't run them on the local chain, so they are run here.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeEventLog } from 'viem';
import { entryPointAbi, paymasterAbi, startChain, STUB_SIGNATURE, VERSIONS } from './chain.mjs';
import {
  CALLS,
  codeReads,
  ECRECOVER,
  FORBIDDEN,
  gasApartFromFirstTouches,
  gasOf,
  STORAGE,
  validationsIn,
  word,
} from './traces.mjs';

for (const version of VERSIONS) {
  describe(`EntryPoint ${version}`, () => {
    let chain;
    before(async () => {
      chain = await startChain(version);
    });
    after(() => chain?.stop());

    async function validationsOf(count, options) {
      const ops = await Promise.all(chain.accounts.slice(0, count).map((account) => chain.operation(account, options)));
      const validations = validationsIn(await chain.trace(ops), chain);
      assert.equal(validations.length, options ? 1 : count, 'validations found in the trace');
      return validations;
    }

    for (const [title, options] of [
      ['a good signature', undefined],
      ['the stub', { signature: STUB_SIGNATURE }],
    ]) {
      test(`validation with ${title} uses no forbidden opcode`, async () => {
        const [{ steps }] = await validationsOf(1, options);
        assert.ok(steps.length > 500, `${steps.length} steps traced`);
        assert.deepEqual([...new Set(steps.map(({ op }) => op).filter((op) => FORBIDDEN.has(op)))], []);
        const loneGas = steps.filter(({ op, next }) => op === 'GAS' && !CALLS.has(next));
        assert.equal(loneGas.length, 0, 'GAS only right before a call (OP-012)');
      });

      test(`validation with ${title} calls nothing but ecrecover and touches only its own storage`, async () => {
        const [{ steps }] = await validationsOf(1, options);
        const calls = steps.filter(({ op }) => CALLS.has(op));
        assert.deepEqual(
          calls.map(({ op, stack }) => [op, word(stack.at(-2))]),
          [['STATICCALL', ECRECOVER]],
        );
        const touched = steps.filter(({ op }) => STORAGE.has(op));
        assert.ok(touched.length >= 4, 'signer, pause, wallet and in-flight mark');
        for (const { address } of touched) assert.equal(address, chain.paymaster.toLowerCase());
        // The sender's: it has code when the paymaster is asked, so OP-041 is kept.
        assert.deepEqual(codeReads(steps, chain.paymaster), [['EXTCODESIZE', chain.accounts[0].toLowerCase()]]);
      });
    }

    test('a sender that delegates by EIP-7702 has its code copied, and nothing else is different', async () => {
      const [implementation] = chain.accounts;
      const sender = '0x77020000000000000000000000000000000000aa';
      const params = [sender, `0xef0100${implementation.slice(2)}`];
      await chain.client.request({ method: 'anvil_setCode', params });
      const [{ steps }] = validationsIn(await chain.trace([await chain.operation(sender)]), chain);
      assert.deepEqual(codeReads(steps, chain.paymaster), [
        ['EXTCODESIZE', sender],
        ['EXTCODECOPY', sender],
      ]);
      assert.deepEqual([...new Set(steps.map(({ op }) => op).filter((op) => FORBIDDEN.has(op)))], []);
      assert.deepEqual(
        steps.filter(({ op }) => CALLS.has(op)).map(({ op, stack }) => [op, word(stack.at(-2))]),
        [['STATICCALL', ECRECOVER]],
      );
    });

    test('the paymaster has a stake, which its context and its storage ask for (EREP-050, STO-031)', async () => {
      const [, staked, stake, unstakeDelay] = await chain.client.readContract({
        address: chain.entryPoint,
        abi: entryPointAbi,
        functionName: 'getDepositInfo',
        args: [chain.paymaster],
      });
      assert.equal(staked, true);
      assert.ok(stake > 0n && unstakeDelay >= 86_400);
    });

    test('five operations of one wallet in a bundle take the same path; only warm slots make them cheaper (EREP-070)', async (t) => {
      const validations = await validationsOf(5);
      const [first, ...others] = validations;
      t.diagnostic(`${version} gas of validations 1 to 5: ${validations.map(gasOf).join(', ')}`);
      const [firstGas, ...othersGas] = gasApartFromFirstTouches(validations);
      for (const [i, other] of others.entries()) {
        assert.deepEqual(
          other.steps.map(({ op }) => op),
          first.steps.map(({ op }) => op),
          'same opcodes',
        );
        const ratio = othersGas[i] / firstGas;
        assert.ok(ratio > 0.9 && ratio < 1.1, `gas apart from first touches: ${ratio}`);
      }
    });

    test('a bundle of five lands on a real chain, and every charge covers its cost', async () => {
      const ops = await Promise.all(chain.accounts.map((account) => chain.operation(account)));
      const receipt = await chain.send(ops);
      const taken = new Map();
      const charged = new Map();
      for (const log of receipt.logs) {
        const abi = log.address.toLowerCase() === chain.paymaster.toLowerCase() ? paymasterAbi : entryPointAbi;
        let event;
        try {
          event = decodeEventLog({ abi, ...log });
        } catch {
          continue;
        }
        if (event.eventName === 'UserOperationEvent') {
          assert.equal(event.args.success, true);
          taken.set(event.args.userOpHash, event.args.actualGasCost);
        }
        if (event.eventName === 'UserOperationSponsored') {
          charged.set(event.args.userOpHash, event.args.chargedWei - event.args.feeWei);
        }
      }
      assert.equal(taken.size, 5);
      for (const [hash, cost] of taken) {
        assert.ok(charged.get(hash) >= cost, `charged ${charged.get(hash)} for ${cost}`);
      }
    });
  });
}
