// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {IHybridPaymaster} from "../interfaces/IHybridPaymaster.sol";
import {RequiredOwner} from "./RequiredOwner.sol";

/**
 * @title EntryPointStake
 * @notice The one EntryPoint this contract serves, and the owner's stake in it.
 * @dev Bundlers demand the stake, because validation writes the funding wallets' balances and returns a context
 *      (ERC-7562 EREP-050, STO-031). The stake is the owner's money and apart from the deposit, which is the
 *      funding wallets'. All EntryPoints have the functions of `IStakeManager` that are used here.
 */
abstract contract EntryPointStake is RequiredOwner {
    IStakeManager private immutable _entryPoint;

    /// @dev Only the EntryPoint may validate and settle: anyone else could debit a wallet for nothing.
    modifier onlyEntryPoint() {
        if (msg.sender != address(_entryPoint)) revert NotEntryPoint(msg.sender);
        _;
    }

    constructor(IStakeManager entryPoint_) {
        if (address(entryPoint_).code.length == 0) revert EntryPointHasNoCode(address(entryPoint_));
        _entryPoint = entryPoint_;
    }

    /// @inheritdoc IHybridPaymaster
    function entryPoint() public view returns (IStakeManager) {
        return _entryPoint;
    }

    /// @inheritdoc IHybridPaymaster
    function addStake(uint32 unstakeDelaySeconds) external payable onlyOwner {
        _entryPoint.addStake{value: msg.value}(unstakeDelaySeconds);
        emit StakeAdded(msg.value, unstakeDelaySeconds);
    }

    /// @inheritdoc IHybridPaymaster
    function unlockStake() external onlyOwner {
        _entryPoint.unlockStake();
        emit StakeUnlocked();
    }

    /// @inheritdoc IHybridPaymaster
    function withdrawStake(address payable to) external onlyOwner {
        if (to == address(0)) revert ZeroAddress();
        _entryPoint.withdrawStake(to);
        emit StakeWithdrawn(to);
    }
}
