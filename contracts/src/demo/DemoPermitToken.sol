// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {DemoToken} from "./DemoToken.sol";

/**
 * @notice A `DemoToken` with EIP-2612 permits, also of smart accounts. For local worlds and tests only.
 * @dev The plain EIP-2612 form asks for a key's signature, which a smart account has not. Like USDC v2.2, a permit of
 *      an owner with code is checked by ERC-1271, with `r ++ s ++ v` as the signature.
 */
contract DemoPermitToken is DemoToken, ERC20Permit {
    bytes32 private constant _PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    constructor(
        string memory name_,
        string memory symbol_,
        uint8 decimals_
    ) DemoToken(name_, symbol_, decimals_) ERC20Permit(name_) {}

    /// @inheritdoc ERC20Permit
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) public override {
        if (block.timestamp > deadline) revert ERC2612ExpiredSignature(deadline);
        bytes32 structHash = keccak256(abi.encode(_PERMIT_TYPEHASH, owner, spender, value, _useNonce(owner), deadline));
        bytes memory signature = abi.encodePacked(r, s, v);
        if (!SignatureChecker.isValidSignatureNow(owner, _hashTypedDataV4(structHash), signature)) {
            // Who signed instead is not known for a contract.
            revert ERC2612InvalidSigner(address(0), owner);
        }
        _approve(owner, spender, value);
    }

    /// @inheritdoc DemoToken
    function decimals() public view override(ERC20, DemoToken) returns (uint8) {
        return DemoToken.decimals();
    }
}
