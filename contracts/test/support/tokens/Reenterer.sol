// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ITokenHook} from "./HookedToken.sol";

/// @notice A token hook that makes its calls whenever it is called itself, one level deep, whatever becomes of them.
contract Reenterer is ITokenHook {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    Call[] private _calls;
    bool private _isInside;
    /// @notice How often the hook was called from outside of itself.
    uint256 public timesCalled;

    receive() external payable {}

    /// @notice Adds a call to make in each hook.
    function add(address target, uint256 value, bytes calldata data) external {
        _calls.push(Call(target, value, data));
    }

    /// @notice Makes a call in this contract's name now; reverts when it fails.
    function run(address target, bytes calldata data) external {
        (bool ok, ) = target.call(data);
        require(ok, "call failed");
    }

    function beforeTokens(address, address, address, uint256) external {
        _reenter();
    }

    function afterTokens(address, address, address, uint256) external {
        _reenter();
    }

    function _reenter() private {
        if (_isInside) return;
        _isInside = true;
        timesCalled += 1;
        for (uint256 i = 0; i < _calls.length; i++) {
            (bool ok, ) = _calls[i].target.call{value: _calls[i].value}(_calls[i].data);
            ok;
        }
        _isInside = false;
    }
}
