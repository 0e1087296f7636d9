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
        BURNT
    }

    /// @dev What the chain refunds: a slot that is cleared brings 4,800 gas, one that was filled before it 19,900.
    enum Slots {
        UNTOUCHED,
        /// @dev Cleared; the attacker filled them at his own cost.
        CLEARED,
        /// @dev Filled by one operation, cleared by the next: both at the wallet's cost.
        TURNED,
        /// @dev Filled and cleared at once.
        CYCLED
    }

    struct Told {
        /// @dev What validation burns besides its own work; gas.
        uint64 validationGas;
        Calls calls;
        Slots slots;
        uint8 slotCount;
        /// @dev The slots are touched in validation, else before the calls.
        bool inValidation;
    }

    /// @dev What a slot may take; gas.
    uint256 private constant _SLOT_GAS = 23_000;

    Told private _told;
    uint256[64] private _slots;

    error Sprung();

    function tell(Told calldata told) external {
        _told = told;
    }

    /// @notice Fills the slots that `Slots.CLEARED` clears.
    function fill() external {
        _fill(_told.slotCount, 1);
    }

    function execute(address target, uint256, bytes calldata data) external {
        if (_isAsTold()) _call(target, data);
    }

    function executeBatch(address[] calldata targets, bytes[] calldata datas) external {
        if (_isAsTold()) for (uint256 i = 0; i < targets.length; i++) _call(targets[i], datas[i]);
    }

    /// @return Whether the calls are to be made.
    function _isAsTold() private returns (bool) {
        Told memory told = _told;
        if (told.calls == Calls.REVERTED) revert Sprung();
        if (told.calls == Calls.BURNT) assembly { invalid() }
        if (!told.inValidation) _touchSlots(told);
        return told.calls != Calls.SKIPPED;
    }

    function _touchSlots(Told memory told) private {
        if (told.slots == Slots.CLEARED || (told.slots == Slots.TURNED && _slots[0] != 0)) _fill(told.slotCount, 0);
        else if (told.slots == Slots.TURNED) _fill(told.slotCount, 1);
        else if (told.slots == Slots.CYCLED) {
            _fill(told.slotCount, 1);
            _fill(told.slotCount, 0);
        }
    }

    function _fill(uint256 count, uint256 value) private {
        for (uint256 i = 0; i < count && gasleft() > 2 * _SLOT_GAS; i++) _slots[i] = value;
    }

    function _call(address target, bytes calldata data) private {
        (bool success, ) = target.call(data);
        if (!success) revert Sprung();
    }

    /// @dev `validateUserOp` of every EntryPoint version: zero says that the signature is good.
    fallback() external payable {
        uint256 gasBefore = gasleft();
        Told memory told = _told;
        if (told.inValidation) _touchSlots(told);
        while (gasBefore - gasleft() < told.validationGas) {}
        assembly {
            mstore(0, 0)
            return(0, 32)
        }
    }

    receive() external payable {}
}
