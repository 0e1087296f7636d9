// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {PaymasterERC20} from "@openzeppelin/contracts-latest/account/paymaster/extensions/PaymasterERC20.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts-latest/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts-latest/token/ERC20/IERC20.sol";
import {SignerECDSA} from "@openzeppelin/contracts-latest/utils/cryptography/signers/SignerECDSA.sol";

/**
 * @notice OpenZeppelin's `PaymasterERC20` with its `SignerECDSA`, on the EntryPoint that is given: its token and rate
 *         are signed together with the operation, as ours are.
 */
contract OpenZeppelinTokenPaymaster is PaymasterERC20, SignerECDSA {
    IEntryPoint private immutable _ENTRY_POINT;

    constructor(IEntryPoint entryPoint_, address signer) SignerECDSA(signer) {
        _ENTRY_POINT = entryPoint_;
    }

    function entryPoint() public view override returns (IEntryPoint) {
        return _ENTRY_POINT;
    }

    /// @notice What the signer signs: the operation and the paymaster data before the signature.
    function getDigest(PackedUserOperation calldata op) public view returns (bytes32) {
        bytes memory operation = abi.encode(
            block.chainid,
            address(this),
            op.sender,
            op.nonce,
            keccak256(op.initCode),
            keccak256(op.callData),
            op.accountGasLimits,
            op.preVerificationGas,
            op.gasFees
        );
        return keccak256(abi.encodePacked(operation, keccak256(op.paymasterAndData[:104])));
    }

    /// @dev After the 52 bytes of the EntryPoint: token (20), rate (32), signature (65).
    function _fetchDetails(
        PackedUserOperation calldata op,
        bytes32
    ) internal view override returns (uint256 validationData, IERC20 token, uint256 tokenPerNative) {
        bytes calldata data = op.paymasterAndData;
        validationData = _rawSignatureValidation(getDigest(op), data[104:]) ? 0 : 1;
        return (validationData, IERC20(address(bytes20(data[52:72]))), uint256(bytes32(data[72:104])));
    }
}
