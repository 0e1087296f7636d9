// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @notice Stands in for a smart account in a simulated call, and measures what the account's calls take.
 * @dev Never deployed: its runtime code is put at the account's address by the state overrides of one `eth_call`. The
 *      account's own code does not run, also when a target calls it back: its owner may have written it to take more
 *      gas in a simulation than on chain.
 */
contract CallMeter {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    /// @dev A call that fails may burn all it gets, and succeed with little once the operation lands.
    uint256 private constant _MOST_OF_FAILED = 50_000;

    /**
     * @notice Makes the calls in order, up to the first that fails.
     * @return gasUsed What they took, slots and addresses as cold as on chain. Of a call that fails, 50,000 at the most.
     */
    function measure(Call[] calldata calls) external returns (uint256 gasUsed) {
        for (uint256 i = 0; i < calls.length; i++) {
            (address to, uint256 value) = (calls[i].to, calls[i].value);
            bytes memory data = calls[i].data;
            uint256 gasBefore = gasleft();
            bool success;
            assembly ("memory-safe") {
                success := call(gas(), to, value, add(data, 32), mload(data), 0, 0)
            }
            uint256 taken = gasBefore - gasleft();
            gasUsed += success || taken < _MOST_OF_FAILED ? taken : _MOST_OF_FAILED;
            if (!success) break;
        }
    }

    /**
     * @dev Takes coin and tokens, and accepts signatures: the hooks of ERC-721 and ERC-1155 and ERC-1271 want their own
     *      selector in the answer. `supportsInterface` wants a boolean: true for itself and these hooks.
     */
    fallback() external payable {
        assembly ("memory-safe") {
            let answer := and(calldataload(0), shl(224, 0xffffffff))
            if eq(shr(224, answer), 0x01ffc9a7) {
                let id := shr(224, calldataload(4))
                answer := or(or(eq(id, 0x01ffc9a7), eq(id, 0x150b7a02)), eq(id, 0x4e2312e0))
            }
            mstore(0, answer)
            return(0, 32)
        }
    }

    receive() external payable {}
}
