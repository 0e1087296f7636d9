// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @notice Stands in for the paymaster in a simulated call, to move a token in the paymaster's name.
 * @dev Never deployed: it obeys everybody. Its runtime code (no immutables, no storage) is put at the paymaster's
 *      address by the state overrides of one `eth_call`.
 */
contract PaymasterPuppet {
    /// @dev What is kept of an answer: enough for a bool and for a revert reason.
    uint256 private constant _MAX_RETURNED = 256;

    /**
     * @notice Calls the target as the paymaster would; never reverts because of it.
     * @return success Whether the target did not revert.
     * @return returned Up to 256 bytes of what it returned or reverted with. More is not copied, so that an answer of
     *         a megabyte costs its author alone.
     * @return gasUsed The call's gas, with its address and slots as cold or warm as they were.
     */
    function execute(
        address target,
        bytes calldata data
    ) external returns (bool success, bytes memory returned, uint256 gasUsed) {
        bytes memory input = data;
        uint256 before = gasleft();
        assembly ("memory-safe") {
            success := call(gas(), target, 0, add(input, 32), mload(input), 0, 0)
        }
        gasUsed = before - gasleft();

        uint256 length = _MAX_RETURNED;
        assembly ("memory-safe") {
            if lt(returndatasize(), length) {
                length := returndatasize()
            }
            returned := mload(0x40)
            mstore(returned, length)
            returndatacopy(add(returned, 32), 0, length)
            mstore(0x40, add(returned, 0x140))
        }
    }
}
