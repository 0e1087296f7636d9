// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";

/**
 * @title TokenCalls
 * @notice Calls to tokens that are not trusted: nothing they do reverts the caller, and no more than one word of their
 *         answer is copied, so that a long one costs its author alone.
 * @dev A transfer counts as done when the call succeeds, the token has code, and it answers nothing or `true`.
 */
library TokenCalls {
    /// @dev As a gas limit: all there is. Not `gasleft()`, because ERC-7562 OP-012 wants GAS right before the call.
    uint256 internal constant ALL_GAS = type(uint256).max;

    /// @dev Moves what the owner has allowed; says whether it is done.
    function tryTransferFrom(
        address token,
        address from,
        address to,
        uint256 amount,
        uint256 gasLimit
    ) internal returns (bool) {
        return _tryTransfer(token, abi.encodeCall(IERC20.transferFrom, (from, to, amount)), gasLimit);
    }

    /// @dev Moves the caller's own tokens; says whether it is done.
    function tryTransfer(address token, address to, uint256 amount, uint256 gasLimit) internal returns (bool) {
        return _tryTransfer(token, abi.encodeCall(IERC20.transfer, (to, amount)), gasLimit);
    }

    /**
     * @dev Uses an EIP-2612 permit for the caller. Whether it worked is for the allowance to say: anyone can take a
     *      permit out of the mempool and use it first, and that must not hurt.
     * @param packed value (32), deadline (32), r (32), s (32), v (1).
     */
    function tryPermit(address token, address owner, bytes calldata packed) internal {
        bytes4 selector = IERC20Permit.permit.selector;
        uint256 gasLimit = ALL_GAS;
        assembly ("memory-safe") {
            // permit(owner, spender, value, deadline, v, r, s), written behind the memory in use: nothing is kept of it.
            let data := mload(0x40)
            mstore(data, selector)
            mstore(add(data, 4), owner)
            mstore(add(data, 36), address())
            calldatacopy(add(data, 68), packed.offset, 64)
            mstore(add(data, 132), byte(0, calldataload(add(packed.offset, 128))))
            calldatacopy(add(data, 164), add(packed.offset, 64), 64)
            pop(call(gasLimit, token, 0, data, 228, 0, 0))
        }
    }

    /// @dev An account's balance; nothing is known of a token that reverts or answers less than a word.
    function tryBalanceOf(address token, address account) internal view returns (bool known, uint256 amount) {
        bytes memory data = abi.encodeCall(IERC20.balanceOf, (account));
        uint256 gasLimit = ALL_GAS;
        assembly ("memory-safe") {
            known := staticcall(gasLimit, token, add(data, 32), mload(data), 0, 32)
            known := and(known, gt(returndatasize(), 31))
            amount := mul(mload(0), known)
        }
    }

    function _tryTransfer(address token, bytes memory data, uint256 gasLimit) private returns (bool done) {
        assembly ("memory-safe") {
            done := call(gasLimit, token, 0, add(data, 32), mload(data), 0, 32)
            switch returndatasize()
            case 0 {
                done := and(done, gt(extcodesize(token), 0))
            }
            default {
                done := and(done, and(gt(returndatasize(), 31), eq(mload(0), 1)))
            }
        }
    }
}
