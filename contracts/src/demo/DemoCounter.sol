// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @notice A target for sponsored operations in the local world. It guards nothing and holds nothing of value.
contract DemoCounter {
    mapping(address caller => uint256) private _counts;

    event Incremented(address indexed caller, uint256 count);
    event CounterReset(address indexed caller);
    event TipReceived(address indexed caller, uint256 amountWei);

    /// @notice Adds one to the caller's count.
    function increment() external {
        _add(1);
    }

    /// @notice Adds an amount to the caller's count.
    function add(uint256 amount) external {
        _add(amount);
    }

    /// @notice Sets the caller's count to zero. The local world leaves it off the whitelist, to show a refusal.
    function reset() external {
        _counts[msg.sender] = 0;
        emit CounterReset(msg.sender);
    }

    /// @notice Adds one and keeps the value sent along.
    function tip() external payable {
        _add(1);
        emit TipReceived(msg.sender, msg.value);
    }

    /// @notice A caller's count.
    function countOf(address caller) external view returns (uint256) {
        return _counts[caller];
    }

    function _add(uint256 amount) private {
        _counts[msg.sender] += amount;
        emit Incremented(msg.sender, _counts[msg.sender]);
    }
}
