// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @title OperationMeter
 * @notice Finds, in one `eth_call`, the least gas limits with which an operation is validated and executed.
 * @dev Never deployed. Its runtime code (no immutables, no storage) is put at the EntryPoint's address by state
 *      overrides, so the account and its factory see the callers that they will see on chain. Nothing is measured of
 *      the EntryPoint itself, nor of the paymaster: the caller adds constants for them (libs/gas, `OperationGas`).
 *      What accounts and their calls ask of the EntryPoint (deposits, nonces), its own code answers, which the caller
 *      puts at `_ENTRY_POINT_CODE`.
 *
 *      A call that gets just the gas that it used before may fail, because each inner call gets at most 63 of 64
 *      parts. So every limit is tried. A try ends in a revert: it leaves no state, and slots are as cold as before.
 *      A try counts only if it used as much gas as the call without a limit: an account that catches the failure of a
 *      call that ran out of gas succeeds too, and does something else.
 */
contract OperationMeter {
    struct Request {
        /// @dev The EntryPoint's SenderCreator, which calls the factory.
        address senderCreator;
        /// @dev The call of the SenderCreator that deploys the account, or sets up a delegated one; empty without one.
        bytes creation;
        /// @dev The creation deploys: it answers with the sender.
        bool deploys;
        /// @dev v0.9 skips the factory of an account that has code.
        bool skipsExisting;
        address sender;
        /// @dev The call of `validateUserOp`.
        bytes validation;
        /// @dev What the EntryPoint calls the account with; empty when it makes no call.
        bytes execution;
        uint256 maxVerificationGas;
        uint256 maxCallGas;
    }

    struct Outcome {
        Step failed;
        /// @dev What the failed step returned or reverted with, up to 1,024 bytes.
        bytes returned;
        /// @dev Deployment and validation: what they use, also when they fail, and the least limit with which each of
        ///      them works.
        uint256 validationGasUsed;
        uint256 validationGasLimit;
        /// @dev The same of the operation's call.
        uint256 callGasUsed;
        uint256 callGasLimit;
    }

    enum Step {
        None,
        /// @dev The account has code, and the operation deploys it (AA10).
        AlreadyDeployed,
        /// @dev The factory, or the set up of a delegated account, reverts or has too little gas (AA13).
        Creation,
        /// @dev The factory answers with another address (AA14).
        OtherSender,
        /// @dev The factory leaves no code at the sender (AA15).
        NoCode,
        /// @dev The sender has no code, and nothing deploys it (AA20).
        NotDeployed,
        /// @dev `validateUserOp` reverts or does not answer a word (AA23).
        Validation,
        Execution
    }

    struct Try {
        Step failed;
        uint256 gasUsed;
        bytes returned;
    }

    /// @dev Nobody's address.
    address private constant _ENTRY_POINT_CODE = 0x456E747279506f696E742773206f776E20636f64;
    uint256 private constant _MAX_RETURNED = 1_024;
    /// @dev What a call itself takes, of an account that was touched before (EIP-2929).
    uint256 private constant _WARM_CALL_GAS = 100;
    /// @dev Less is not worth another try.
    uint256 private constant _LEAST_STEP = 100;
    /// @dev For what surrounds a try: copies of the request, the search itself, the answer.
    uint256 private constant _ROOM = 200_000;

    error Tried(Try result);
    error NotEnoughGas(uint256 needed);

    /// @notice Measures; reverts only when it has too little gas for a first try of each step.
    function measure(Request calldata request) external returns (Outcome memory outcome) {
        // Warm from now on, so that asking the EntryPoint takes hardly more gas than on chain.
        _ENTRY_POINT_CODE.code.length;
        Try memory free = _try(request, false, request.maxVerificationGas);
        (outcome.failed, outcome.returned, outcome.validationGasUsed) = (free.failed, free.returned, free.gasUsed);
        if (free.failed != Step.None) return outcome;
        bool executes = request.execution.length != 0;
        uint256 kept = executes ? free.gasUsed + _gasFor(request.maxCallGas) : 0;
        outcome.validationGasLimit = _leastLimit(request, false, free.gasUsed, request.maxVerificationGas, kept);
        if (!executes) return outcome;

        // For real, because the call finds the account deployed, and warm what validation touched.
        _validate(request, request.maxVerificationGas);
        free = _try(request, true, request.maxCallGas);
        (outcome.failed, outcome.returned, outcome.callGasUsed) = (free.failed, free.returned, free.gasUsed);
        if (free.failed != Step.None) return outcome;
        outcome.callGasLimit = _leastLimit(request, true, free.gasUsed, request.maxCallGas, 0);
    }

    /// @notice One try with a limit; always reverts with what it found.
    function attempt(Request calldata request, bool executes, uint256 limit) external {
        revert Tried(executes ? _execute(request, limit) : _validate(request, limit));
    }

    fallback() external payable {
        _askEntryPoint();
    }

    receive() external payable {
        _askEntryPoint();
    }

    /// @dev From what was used upwards in growing steps, then halving the last step while it is large. Leaves `kept` of
    ///      the gas: where that allows no further try, the answer is the most, with which the step worked.
    function _leastLimit(
        Request calldata request,
        bool executes,
        uint256 gasUsed,
        uint256 most,
        uint256 kept
    ) private returns (uint256 limit) {
        uint256 small = gasUsed / 256 < _LEAST_STEP ? _LEAST_STEP : gasUsed / 256;
        uint256 step = 2 * small;
        uint256 tooLow = gasUsed;
        limit = gasUsed;
        while (limit < most && !_suffices(request, executes, gasUsed, limit, kept)) {
            tooLow = limit;
            limit += step;
            step *= 2;
        }
        if (limit > most) limit = most;
        while (limit - tooLow > small && gasleft() > _gasFor(limit) + kept) {
            uint256 middle = (limit + tooLow) / 2;
            if (_suffices(request, executes, gasUsed, middle, kept)) limit = middle;
            else tooLow = middle;
        }
    }

    /// @dev With much room to spare, gas may differ: some accounts decide by `gasleft()`.
    function _suffices(
        Request calldata request,
        bool executes,
        uint256 gasUsed,
        uint256 limit,
        uint256 kept
    ) private returns (bool) {
        if (gasleft() <= _gasFor(limit) + kept) return false;
        Try memory tried = _try(request, executes, limit);
        if (tried.failed != Step.None) return false;
        return tried.gasUsed == gasUsed || limit > gasUsed + gasUsed / 4 + 50_000;
    }

    function _try(Request calldata request, bool executes, uint256 limit) private returns (Try memory result) {
        if (gasleft() <= _gasFor(limit)) revert NotEnoughGas(limit);
        (, bytes memory reason) = address(this).call(abi.encodeCall(this.attempt, (request, executes, limit)));
        // Behind the selector of `Tried`.
        assembly ("memory-safe") {
            mstore(add(reason, 4), sub(mload(reason), 4))
            reason := add(reason, 4)
        }
        result = abi.decode(reason, (Try));
    }

    function _validate(Request calldata request, uint256 limit) private returns (Try memory result) {
        bytes memory creation = request.creation;
        bytes memory validation = request.validation;
        bool success;
        uint256 gasBefore = gasleft();
        bool hasCode = request.sender.code.length != 0;
        if (creation.length != 0 && !(hasCode && request.deploys && request.skipsExisting)) {
            if (hasCode && request.deploys) result.failed = Step.AlreadyDeployed;
            else result = _create(request, creation, limit);
        } else if (!hasCode) {
            result.failed = Step.NotDeployed;
        }
        if (result.failed != Step.None) {
            result.gasUsed = gasBefore - gasleft();
            return result;
        }
        (success, result.returned, ) = _call(request.sender, validation, limit);
        result.gasUsed = gasBefore - gasleft();
        if (!success || result.returned.length < 32) result.failed = Step.Validation;
    }

    function _create(
        Request calldata request,
        bytes memory creation,
        uint256 limit
    ) private returns (Try memory result) {
        bool success;
        (success, result.returned, ) = _call(request.senderCreator, creation, limit);
        if (!success) result.failed = Step.Creation;
        else if (request.deploys) {
            uint256 created = _word(result.returned);
            if (created == 0) result.failed = Step.Creation;
            else if (created != uint160(request.sender)) result.failed = Step.OtherSender;
            else if (request.sender.code.length == 0) result.failed = Step.NoCode;
        }
    }

    function _execute(Request calldata request, uint256 limit) private returns (Try memory result) {
        bytes memory execution = request.execution;
        bool success;
        (success, result.returned, result.gasUsed) = _call(request.sender, execution, limit);
        if (!success) result.failed = Step.Execution;
    }

    /// @dev A call hands on at most 63 of 64 parts: with less it would not be the call on chain. A try has three levels.
    function _gasFor(uint256 limit) private pure returns (uint256) {
        return 2 * limit + limit / 8 + _ROOM;
    }

    /// @dev Answers for the EntryPoint, with its state.
    function _askEntryPoint() private {
        address code = _ENTRY_POINT_CODE;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), code, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(success) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }

    function _word(bytes memory returned) private pure returns (uint256 word) {
        if (returned.length < 32) return 0;
        assembly ("memory-safe") {
            word := mload(add(returned, 32))
        }
    }

    /// @dev Keeps at most 1,024 bytes of the answer. The gas is what the target used of its limit, if it was warm before.
    function _call(
        address target,
        bytes memory data,
        uint256 gasLimit
    ) private returns (bool success, bytes memory returned, uint256 gasUsed) {
        assembly ("memory-safe") {
            gasUsed := gas()
            success := call(gasLimit, target, 0, add(data, 32), mload(data), 0, 0)
            gasUsed := sub(sub(gasUsed, gas()), _WARM_CALL_GAS)
            let length := returndatasize()
            if gt(length, _MAX_RETURNED) {
                length := _MAX_RETURNED
            }
            returned := mload(0x40)
            mstore(returned, length)
            returndatacopy(add(returned, 32), 0, length)
            mstore(0x40, and(add(add(returned, 63), length), not(31)))
        }
    }
}
