// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @notice The account of an attacker who bundles for himself. It accepts any signature, and it does in validation and
 *         in its calls what the attacker told it after the paymaster had signed.
 */
contract SiphonAccount {
    enum Calls {
        MADE,
        SKIPPED,
        REVERTED,
        BURNT,
        CLEARING
    }

    uint128 private _validationGas;
    Calls private _calls;
    uint256[5] private _slots;

    error Sprung();

    /// @param validationGas what validation burns besides its own work; gas
    function tell(uint128 validationGas, Calls calls) external {
        (_validationGas, _calls) = (validationGas, calls);
    }

    /// @notice Fills the slots that `Calls.CLEARING` clears: the transaction that clears them is refunded.
    function fill() external {
        for (uint256 i = 0; i < 5; i++) _slots[i] = 1;
    }

    function execute(address target, uint256, bytes calldata data) external {
        if (_isAsTold()) _call(target, data);
    }

    function executeBatch(address[] calldata targets, bytes[] calldata datas) external {
        if (_isAsTold()) for (uint256 i = 0; i < targets.length; i++) _call(targets[i], datas[i]);
    }

    /// @return Whether the calls are to be made.
    function _isAsTold() private returns (bool) {
        if (_calls == Calls.REVERTED) revert Sprung();
        if (_calls == Calls.BURNT) assembly { invalid() }
        if (_calls == Calls.CLEARING) for (uint256 i = 0; i < 5 && gasleft() > 20_000; i++) _slots[i] = 0;
        return _calls != Calls.SKIPPED;
    }

    function _call(address target, bytes calldata data) private {
        (bool success, ) = target.call(data);
        if (!success) revert Sprung();
    }

    /// @dev `validateUserOp` of every EntryPoint version: zero says that the signature is good.
    fallback() external payable {
        uint256 gasBefore = gasleft();
        uint256 burnt = _validationGas;
        while (gasBefore - gasleft() < burnt) {}
        assembly {
            mstore(0, 0)
            return(0, 32)
        }
    }

    receive() external payable {}
}
