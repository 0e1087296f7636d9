// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/**
 * @title SignerSet
 * @notice The keys whose signature sponsors an operation. A set, so that a key can be rotated with an overlap:
 *         add the new one, wait until it is active and the old one's signatures have expired, remove the old one.
 * @dev A signer can spend every deposit on gas. So an added one waits (`signerDelaySeconds`) until each wallet that
 *      does not trust it had time to withdraw: the owner, or who stole his key, reaches no deposit before. The date
 *      goes to the EntryPoint as `validAfter`, so that validation reads no clock.
 */
abstract contract SignerSet is Ownable2Step {
    /// @dev Keys of the constructor are active before there is any deposit.
    uint256 private constant _ALWAYS = 1;

    /// @dev From when on a key counts, unix time; 0 for every other address.
    mapping(address signer => uint256) private _activeFrom;
    uint256 private _signerCount;
    uint256 private immutable _signerDelaySeconds;

    event SignerAdded(address indexed signer);
    event SignerRemoved(address indexed signer);

    error InvalidSigner(address signer);
    error SignerAlreadyAdded(address signer);
    error SignerNotFound(address signer);
    error LastSigner(address signer);

    constructor(address[] memory signers, uint256 signerDelaySeconds_) {
        if (signers.length == 0) revert InvalidSigner(address(0));
        _signerDelaySeconds = signerDelaySeconds_;
        for (uint256 i = 0; i < signers.length; i++) {
            _addSigner(signers[i], _ALWAYS);
        }
    }

    /// @notice Adds a signing key. It counts after `signerDelaySeconds`, also when it was a signer before.
    function addSigner(address signer) external onlyOwner {
        _addSigner(signer, block.timestamp + _signerDelaySeconds);
    }

    /**
     * @notice Removes a signing key at once; operations it signed stop being valid.
     * @dev The last one stays. One that is not active yet counts as one: a stolen key can go before its successor
     *      is active, and nothing is sponsored until then.
     */
    function removeSigner(address signer) external onlyOwner {
        if (_activeFrom[signer] == 0) revert SignerNotFound(signer);
        if (_signerCount == 1) revert LastSigner(signer);
        _activeFrom[signer] = 0;
        _signerCount -= 1;
        emit SignerRemoved(signer);
    }

    /// @notice Whether the key's signatures are accepted now, by every EntryPoint version.
    function isSigner(address signer) external view returns (bool) {
        uint256 activeFrom = _activeFrom[signer];
        // Not in the first second, which EntryPoint v0.8 does not accept.
        return activeFrom != 0 && block.timestamp > activeFrom;
    }

    /// @notice From when on the key's signatures count, unix time: 0 if it was not added, 1 if in the constructor.
    function signerActiveFrom(address signer) public view returns (uint256) {
        return _activeFrom[signer];
    }

    /// @notice How many keys there are, those that are not active yet included.
    function signerCount() external view returns (uint256) {
        return _signerCount;
    }

    /// @notice Seconds between a key's addition and its first signature that counts.
    function signerDelaySeconds() public view returns (uint256) {
        return _signerDelaySeconds;
    }

    function _addSigner(address signer, uint256 activeFrom) private {
        // ecrecover answers zero for garbage: zero must never be a signer.
        if (signer == address(0)) revert InvalidSigner(signer);
        if (_activeFrom[signer] != 0) revert SignerAlreadyAdded(signer);
        _activeFrom[signer] = activeFrom;
        _signerCount += 1;
        emit SignerAdded(signer);
    }
}
