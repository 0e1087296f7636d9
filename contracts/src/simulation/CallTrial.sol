// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @notice Stands in for a smart account in a simulated call, and tries the account's calls.
 * @dev Never deployed: its runtime code is put at the account's address by the state overrides of one `eth_call`. The
 *      account's own code does not run, also when a target calls it back: its owner may have written it to answer
 *      otherwise in a simulation than on chain.
 */
contract CallTrial {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    /// @notice Makes the calls in order. Reverts when one of them fails.
    function attempt(Call[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(success);
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
