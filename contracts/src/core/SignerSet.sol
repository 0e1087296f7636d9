// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {IHybridPaymaster} from "../interfaces/IHybridPaymaster.sol";
import {RequiredOwner} from "./RequiredOwner.sol";

/**
 * @title SignerSet
 * @notice The keys whose signature sponsors an operation. A set, so that a key can be rotated with an overlap:
 *         add the new one, wait until it is active and the old one's signatures have expired, remove the old one.
 * @dev A signer can spend every deposit on gas. So an added one waits (`signerDelaySeconds`) until each wallet that
 *      does not trust it had time to withdraw: the owner, or who stole his key, reaches no deposit before. The date
 *      goes to the EntryPoint as `validAfter`, so that validation reads no clock.
 *
 *      The pause is a flag in the slot of each key, which validation reads anyway: a slot of its own would cost every
 *      operation 2,100 gas. What no key signed fails in a pause as it does without.
 */
abstract contract SignerSet is RequiredOwner {
    using EnumerableSet for EnumerableSet.AddressSet;

    /// @dev Keys of the constructor are active before there is any deposit.
    uint256 private constant _ALWAYS = 1;

    /// @dev In a key's word, beside the date: sponsoring is stopped. The same for all keys.
    uint256 private constant _PAUSED = 1 << 255;

    /// @dev From when on a key counts, unix time, and `_PAUSED`; 0 for every address that is no signer.
    mapping(address signer => uint256) private _signers;
    EnumerableSet.AddressSet private _signerList;
    bool private _paused;
    uint256 private immutable _signerDelaySeconds;

    constructor(address[] memory signers, uint256 signerDelaySeconds_) {
        if (signers.length == 0) revert InvalidSigner(address(0));
        _signerDelaySeconds = signerDelaySeconds_;
        for (uint256 i = 0; i < signers.length; i++) {
            _addSigner(signers[i], _ALWAYS);
        }
    }

    /// @inheritdoc IHybridPaymaster
    function addSigner(address signer) external onlyOwner {
        _addSigner(signer, block.timestamp + _signerDelaySeconds);
    }

    /// @inheritdoc IHybridPaymaster
    /// @dev The last one stays. One that is not active yet counts as one: a stolen key can go before its successor
    ///      is active, and nothing is sponsored until then.
    function removeSigner(address signer) external onlyOwner {
        if (!_signerList.contains(signer)) revert SignerNotFound(signer);
        if (_signerList.length() == 1) revert LastSigner(signer);
        _signerList.remove(signer);
        delete _signers[signer];
        emit SignerRemoved(signer);
    }

    /// @inheritdoc IHybridPaymaster
    function pause() external onlyOwner {
        _setPaused(true);
        emit Paused(msg.sender);
    }

    /// @inheritdoc IHybridPaymaster
    function unpause() external onlyOwner {
        _setPaused(false);
        emit Unpaused(msg.sender);
    }

    /// @inheritdoc IHybridPaymaster
    function paused() external view returns (bool) {
        return _paused;
    }

    /// @inheritdoc IHybridPaymaster
    function isSigner(address signer) external view returns (bool) {
        (uint256 activeFrom, ) = _signer(signer);
        // Not in the first second, which EntryPoint v0.8 does not accept.
        return activeFrom != 0 && block.timestamp > activeFrom;
    }

    /// @inheritdoc IHybridPaymaster
    function signerActiveFrom(address signer) external view returns (uint256 activeFrom) {
        (activeFrom, ) = _signer(signer);
    }

    /// @inheritdoc IHybridPaymaster
    function signerCount() external view returns (uint256) {
        return _signerList.length();
    }

    /// @inheritdoc IHybridPaymaster
    function signerDelaySeconds() public view returns (uint256) {
        return _signerDelaySeconds;
    }

    /// @dev What validation needs to know of a key; zero and false of an address that is no signer.
    function _signer(address signer) internal view returns (uint256 activeFrom, bool isPaused) {
        uint256 word = _signers[signer];
        return (word & ~_PAUSED, word & _PAUSED != 0);
    }

    function _addSigner(address signer, uint256 activeFrom) private {
        // ecrecover answers zero for garbage: zero must never be a signer.
        if (signer == address(0)) revert InvalidSigner(signer);
        if (!_signerList.add(signer)) revert SignerAlreadyAdded(signer);
        _signers[signer] = activeFrom | (_paused ? _PAUSED : 0);
        emit SignerAdded(signer);
    }

    function _setPaused(bool paused_) private {
        _paused = paused_;
        uint256 count = _signerList.length();
        for (uint256 i = 0; i < count; i++) {
            address signer = _signerList.at(i);
            (uint256 activeFrom, ) = _signer(signer);
            _signers[signer] = activeFrom | (paused_ ? _PAUSED : 0);
        }
    }
}
