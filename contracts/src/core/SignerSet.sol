// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/**
 * @title SignerSet
 * @notice The keys whose signature sponsors an operation. A set, so that a key can be rotated with an overlap:
 *         add the new one, wait until the old one's signatures have expired, remove the old one.
 */
abstract contract SignerSet is Ownable2Step {
    mapping(address signer => bool) private _signers;
    uint256 private _signerCount;

    event SignerAdded(address indexed signer);
    event SignerRemoved(address indexed signer);

    error InvalidSigner(address signer);
    error SignerAlreadyAdded(address signer);
    error SignerNotFound(address signer);
    error LastSigner(address signer);

    constructor(address[] memory signers) {
        if (signers.length == 0) revert InvalidSigner(address(0));
        for (uint256 i = 0; i < signers.length; i++) {
            _addSigner(signers[i]);
        }
    }

    /// @notice Adds a signing key.
    function addSigner(address signer) external onlyOwner {
        _addSigner(signer);
    }

    /// @notice Removes a signing key at once; operations it signed stop being valid. The last one stays.
    function removeSigner(address signer) external onlyOwner {
        if (!_signers[signer]) revert SignerNotFound(signer);
        if (_signerCount == 1) revert LastSigner(signer);
        _signers[signer] = false;
        _signerCount -= 1;
        emit SignerRemoved(signer);
    }

    /// @notice Whether the key's signatures are accepted.
    function isSigner(address signer) public view returns (bool) {
        return _signers[signer];
    }

    /// @notice How many keys are accepted.
    function signerCount() external view returns (uint256) {
        return _signerCount;
    }

    function _addSigner(address signer) private {
        // ecrecover answers zero for garbage: zero must never be a signer.
        if (signer == address(0)) revert InvalidSigner(signer);
        if (_signers[signer]) revert SignerAlreadyAdded(signer);
        _signers[signer] = true;
        _signerCount += 1;
        emit SignerAdded(signer);
    }
}
