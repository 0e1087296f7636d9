// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {WayByte} from "./WayByte.sol";

/// @dev Words of a `SignedOperation` in token mode; sponsorship has the first `SPONSORED_MEMBERS`.
uint256 constant MEMBERS = 25;
uint256 constant SPONSORED_MEMBERS = 18;

/// @dev A funding wallet pays.
uint256 constant MODE_SPONSOR = 1;
/// @dev A funding wallet pays, and the sender pays for it in an ERC-20 token.
uint256 constant MODE_TOKEN = 2;

// Where the members are: in the order of the type strings in `SignedOperationV06` and `SignedOperationPacked`.
uint256 constant TYPE_HASH = 0;
uint256 constant ENTRY_POINT = 1;
uint256 constant MODE = 2;
uint256 constant SENDER = 3;
uint256 constant DELEGATE = 4;
uint256 constant NONCE = 5;
uint256 constant INIT_CODE_HASH = 6;
uint256 constant CALL_DATA_HASH = 7;
// From 8 to 12: gas limits and prices, which differ per EntryPoint.
uint256 constant VALID_UNTIL = 13;
uint256 constant VALID_AFTER = 14;
uint256 constant FUNDING_WALLET = 15;
uint256 constant FEE_MARKUP = 16;
uint256 constant UNACCOUNTED_GAS = 17;
// Token mode only.
uint256 constant WAY = 18;
uint256 constant TOKEN = 19;
uint256 constant EXCHANGE_RATE = 20;
uint256 constant PREMIUM = 21;
uint256 constant FEE_RECEIVER = 22;
uint256 constant MAX_TOKEN_CHARGE = 23;
uint256 constant PERMIT_HASH = 24;

/**
 * @title SignedOperation
 * @notice What a signer signs: the members of the EIP-712 struct, a word each, as they are hashed. Validation writes the
 *         parsed terms here and reads them here, so nothing is checked that is not signed.
 */
library SignedOperation {
    /// @dev The code of an account that delegates by EIP-7702 is this prefix and the delegate's address.
    uint256 private constant _DELEGATION_PREFIX = 0xef0100;
    /// @dev Bytes of that code.
    uint256 private constant _DELEGATION_LENGTH = 23;

    /// @dev Token mode or sponsorship.
    function isTokenPaid(uint256[MEMBERS] memory self) internal pure returns (bool) {
        return self[MODE] == MODE_TOKEN;
    }

    /// @dev The account that acts.
    function sender(uint256[MEMBERS] memory self) internal pure returns (address) {
        return address(uint160(self[SENDER]));
    }

    /// @dev Last second the signature holds, unix time.
    function validUntil(uint256[MEMBERS] memory self) internal pure returns (uint256) {
        return self[VALID_UNTIL];
    }

    /// @dev First second the signature holds, unix time; from EntryPoint v0.8 on the last one it does not hold.
    function validAfter(uint256[MEMBERS] memory self) internal pure returns (uint256) {
        return self[VALID_AFTER];
    }

    /// @dev Whose gas deposit is debited.
    function fundingWallet(uint256[MEMBERS] memory self) internal pure returns (address) {
        return address(uint160(self[FUNDING_WALLET]));
    }

    /// @dev What the wallet pays per million of cost.
    function feeMarkup(uint256[MEMBERS] memory self) internal pure returns (uint256) {
        return self[FEE_MARKUP];
    }

    /// @dev Upper bound on the gas the EntryPoint takes after it measured `actualGasCost`.
    function unaccountedGas(uint256[MEMBERS] memory self) internal pure returns (uint256) {
        return self[UNACCOUNTED_GAS];
    }

    /// @dev Token mode: how the sender is charged, and by how much the gas constants are raised.
    function wayByte(uint256[MEMBERS] memory self) internal pure returns (WayByte) {
        return WayByte.wrap(self[WAY]);
    }

    /// @dev Token mode: how the sender is charged, one of `WAY_*`.
    function way(uint256[MEMBERS] memory self) internal pure returns (uint256) {
        return wayByte(self).way();
    }

    /// @dev Token mode: what the sender pays in.
    function token(uint256[MEMBERS] memory self) internal pure returns (address) {
        return address(uint160(self[TOKEN]));
    }

    /// @dev Token mode: base units per 1e18 wei, without the premium.
    function exchangeRate(uint256[MEMBERS] memory self) internal pure returns (uint256) {
        return self[EXCHANGE_RATE];
    }

    /// @dev Token mode: what the sender pays per million of the rate.
    function premium(uint256[MEMBERS] memory self) internal pure returns (uint256) {
        return self[PREMIUM];
    }

    /// @dev Token mode: whom the sender pays.
    function feeReceiver(uint256[MEMBERS] memory self) internal pure returns (address) {
        return address(uint160(self[FEE_RECEIVER]));
    }

    /// @dev Token mode: the most the sender pays, base units.
    function maxTokenCharge(uint256[MEMBERS] memory self) internal pure returns (uint256) {
        return self[MAX_TOKEN_CHARGE];
    }

    /// @dev The EIP-712 struct hash.
    function structHash(uint256[MEMBERS] memory self) internal pure returns (bytes32 hash) {
        uint256 count = isTokenPaid(self) ? MEMBERS : SPONSORED_MEMBERS;
        assembly ("memory-safe") {
            hash := keccak256(self, shl(5, count))
        }
    }

    /// @dev Whose code an account runs by EIP-7702; zero where it does not delegate.
    function delegateOf(address account) internal view returns (address delegate) {
        assembly ("memory-safe") {
            if eq(extcodesize(account), _DELEGATION_LENGTH) {
                // What is behind the end of the code is copied as zeros.
                extcodecopy(account, 0, 0, 32)
                let code := mload(0)
                if eq(shr(232, code), _DELEGATION_PREFIX) {
                    delegate := shr(96, shl(24, code))
                }
            }
        }
    }
}
