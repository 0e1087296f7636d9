// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {PaymasterPuppet} from "./PaymasterPuppet.sol";

/**
 * @title TokenPaymentSimulator
 * @notice Shows in one `eth_call` what a token-paid operation would do: deployment, permit, the token calls of the
 *         paymaster before and after, and the user's calls.
 * @dev Never deployed. Its runtime code (no immutables, no storage) is put at the EntryPoint's address by state
 *      overrides, that of `PaymasterPuppet` at the paymaster's; so the account, the account factory of v0.8 and the
 *      token see the callers they will see on chain.
 *
 *      Tokens and accounts are hostile. Every call to them is low level, copies a bounded answer, and leaves gas to
 *      go on with; the caller gives the `eth_call` gas for all of them (libs/gas, `gasOf`). Not covered: an account's
 *      `executeUserOp` (v0.7, v0.8), which asks for the whole operation and so shows as a reverting call.
 */
contract TokenPaymentSimulator {
    struct Request {
        /// @dev The EntryPoint's SenderCreator (v0.8 factories listen to nobody else), or zero.
        address senderCreator;
        /// @dev factory ++ its call; ignored when the sender has code.
        bytes initCode;
        /// @dev The most the factory may use: as on chain, the operation's `verificationGasLimit`.
        uint256 deploymentGas;
        address sender;
        bytes callData;
        uint256 callGasLimit;
        address token;
        address paymaster;
        /// @dev The fee receiver; paid directly in way 3 only.
        address receiver;
        /// @dev 1 allowance, 2 permit, 3 approval in the batch.
        uint8 way;
        /// @dev The most the sender pays, base units.
        uint256 amount;
        /// @dev value ++ deadline ++ r ++ s ++ v (129 bytes), way 2 only.
        bytes permit;
    }

    struct Outcome {
        /// @dev The sender has code, now or before.
        bool deployed;
        /// @dev The account exists and the operation's call did not revert.
        bool callsSucceeded;
        /// @dev Its answer or revert data, up to 1,024 bytes.
        bytes callsReturned;
        /// @dev The token moved exactly `amount` and did not say false.
        bool paid;
        /// @dev The token's answer to the payment, up to 256 bytes.
        bytes paymentReturned;
        /// @dev The sender's balance and the paymaster's allowance right before the payment; 0 when the token fails.
        uint256 balance;
        uint256 allowance;
        /// @dev Gas the payment's token call used, slots as cold as on chain. As a limit it needs 2,300 more, which the
        ///      last write wants to see left (EIP-2200), and behind a proxy a 63rd.
        uint256 paymentGas;
        /// @dev Ways 1 and 2: gas the refund's token call used; the greatest number when there is no refund.
        uint256 refundGas;
    }

    uint8 private constant _WAY_PERMIT = 2;
    uint8 private constant _WAY_BATCH_APPROVAL = 3;
    uint256 private constant _PERMIT_LENGTH = 129;
    uint256 private constant _MAX_CALLS_RETURNED = 1_024;
    /// @dev No more for one call of the token: what burns all it is given leaves the rest of the simulation alone.
    uint256 private constant _TOKEN_CALL_GAS = 2_000_000;
    /// @dev The same for its views.
    uint256 private constant _TOKEN_VIEW_GAS = 500_000;

    error Peeked(uint256 value);
    error GasTooLow(uint256 needed);

    /// @notice Runs the operation's token path; reverts only when the request is not one or gas is short.
    function simulate(Request calldata request) external returns (Outcome memory outcome) {
        outcome.deployed = _deploy(request);
        if (request.way == _WAY_BATCH_APPROVAL) {
            _execute(request, outcome);
            _pay(request, outcome, request.receiver);
            return outcome;
        }
        if (request.way == _WAY_PERMIT) _permit(request);
        _pay(request, outcome, request.paymaster);
        _execute(request, outcome);
        _refund(request, outcome);
    }

    /**
     * @notice Reverts with the first word the token answers to a view, 0 when there is none.
     * @dev The simulation asks through here, because a reverted call leaves the slots it read cold: otherwise the
     *      looking would make the payment cheaper than on chain.
     */
    function peek(address token, bytes calldata query) external view {
        (bool success, bytes32 word, uint256 length) = _staticCall(token, query);
        revert Peeked(success && length >= 32 ? uint256(word) : 0);
    }

    function _deploy(Request calldata request) private returns (bool) {
        if (request.sender.code.length == 0 && request.initCode.length >= 20) {
            address target = request.senderCreator;
            bytes memory data = request.initCode[20:];
            if (target == address(0)) {
                target = address(bytes20(request.initCode[:20]));
            } else {
                data = abi.encodeWithSignature("createSender(bytes)", request.initCode);
            }
            _assertGas(request.deploymentGas);
            _call(target, data, request.deploymentGas, 0);
        }
        return request.sender.code.length != 0;
    }

    /// @dev As in the paymaster, a failure is ignored: somebody may have used the permit before, the allowance tells.
    function _permit(Request calldata request) private {
        bytes calldata permit = request.permit;
        if (permit.length != _PERMIT_LENGTH) return;
        bytes memory data = abi.encodeCall(
            IERC20Permit.permit,
            (
                request.sender,
                request.paymaster,
                uint256(bytes32(permit[:32])),
                uint256(bytes32(permit[32:64])),
                uint8(permit[128]),
                bytes32(permit[64:96]),
                bytes32(permit[96:128])
            )
        );
        _puppetCall(request, data);
    }

    function _pay(Request calldata request, Outcome memory outcome, address receiver) private {
        outcome.balance = _balanceOf(request.token, request.sender);
        outcome.allowance = _peek(request.token, abi.encodeCall(IERC20.allowance, (request.sender, request.paymaster)));
        uint256 before = _balanceOf(request.token, receiver);
        bool accepted;
        (accepted, outcome.paymentReturned, outcome.paymentGas) = _puppetCall(
            request,
            abi.encodeCall(IERC20.transferFrom, (request.sender, receiver, request.amount))
        );
        uint256 afterwards = _balanceOf(request.token, receiver);
        outcome.paid = accepted && afterwards >= before && afterwards - before == request.amount;
    }

    function _refund(Request calldata request, Outcome memory outcome) private {
        outcome.refundGas = type(uint256).max;
        if (!outcome.paid) return;
        (bool accepted, , uint256 gasUsed) = _puppetCall(
            request,
            abi.encodeCall(IERC20.transfer, (request.sender, request.amount))
        );
        if (accepted) outcome.refundGas = gasUsed;
    }

    function _execute(Request calldata request, Outcome memory outcome) private {
        if (!outcome.deployed) return;
        outcome.callsSucceeded = true;
        // As in the EntryPoint, empty call data calls nobody.
        if (request.callData.length == 0) return;
        _assertGas(request.callGasLimit);
        (outcome.callsSucceeded, outcome.callsReturned) = _call(
            request.sender,
            request.callData,
            request.callGasLimit,
            _MAX_CALLS_RETURNED
        );
    }

    /// @dev A call hands on at most 63 of 64 parts: with less the operation would not be the one on chain.
    function _assertGas(uint256 needed) private view {
        if (gasleft() - gasleft() / 32 < needed) revert GasTooLow(needed);
    }

    /// @dev Calls the token as the paymaster; accepted means code, no revert, and nothing or true returned.
    function _puppetCall(
        Request calldata request,
        bytes memory data
    ) private returns (bool accepted, bytes memory returned, uint256 gasUsed) {
        bool success;
        (success, returned, gasUsed) = PaymasterPuppet(request.paymaster).execute{gas: _TOKEN_CALL_GAS}(
            request.token,
            data
        );
        bool agreed = returned.length == 0 || (returned.length >= 32 && bytes32(returned) == bytes32(uint256(1)));
        accepted = success && agreed && request.token.code.length != 0;
    }

    function _balanceOf(address token, address account) private view returns (uint256) {
        return _peek(token, abi.encodeCall(IERC20.balanceOf, (account)));
    }

    function _peek(address token, bytes memory query) private view returns (uint256 value) {
        try this.peek{gas: _TOKEN_VIEW_GAS}(token, query) {} catch (bytes memory reason) {
            // Out of gas leaves no reason: the token has no answer.
            if (reason.length != 36) return 0;
            assembly ("memory-safe") {
                value := mload(add(reason, 36))
            }
        }
    }

    function _staticCall(
        address target,
        bytes memory data
    ) private view returns (bool success, bytes32 word, uint256 length) {
        assembly ("memory-safe") {
            success := staticcall(gas(), target, add(data, 32), mload(data), 0, 32)
            length := returndatasize()
            word := mload(0)
        }
    }

    /// @dev Calls with at most that gas and keeps at most `maxReturned` bytes of the answer.
    function _call(
        address target,
        bytes memory data,
        uint256 gasLimit,
        uint256 maxReturned
    ) private returns (bool success, bytes memory returned) {
        assembly ("memory-safe") {
            success := call(gasLimit, target, 0, add(data, 32), mload(data), 0, 0)
            let length := returndatasize()
            if gt(length, maxReturned) {
                length := maxReturned
            }
            returned := mload(0x40)
            mstore(returned, length)
            returndatacopy(add(returned, 32), 0, length)
            mstore(0x40, and(add(add(returned, 63), length), not(31)))
        }
    }
}
