// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Calldata} from "./Calldata.sol";
import {MEMBERS, SignedOperation} from "./SignedOperation.sol";
import {SponsoredContext} from "./SponsoredContext.sol";
import {WayByte} from "./WayByte.sol";

/// @dev What settlement knows of a payment in tokens.
struct TokenPayment {
    /// @dev How the sender is charged, and by how much the gas constants are raised.
    WayByte wayByte;
    /// @dev What it pays in.
    address token;
    /// @dev Whom it pays.
    address feeReceiver;
    /// @dev Base units per 1e18 wei, without the premium.
    uint256 exchangeRate;
    /// @dev What the sender pays per million of the rate; 1,000,000 is no premium.
    uint256 premium;
    /// @dev Base units taken in validation; way batch approval: the most that may be taken.
    uint256 most;
}

/**
 * @title PaymentContext
 * @notice What token mode puts behind the `SponsoredContext`.
 *
 *  | word | bits       | part         |
 *  | ---- | ---------- | ------------ |
 *  | 4    | 168 to 255 | unused       |
 *  |      | 8 to 167   | token        |
 *  |      | 0 to 7     | wayByte      |
 *  | 5    | 192 to 255 | unused       |
 *  |      | 32 to 191  | feeReceiver  |
 *  |      | 0 to 31    | premium      |
 *  | 6    | 0 to 255   | exchangeRate |
 *  | 7    | 0 to 255   | most         |
 */
library PaymentContext {
    using Calldata for bytes;
    using SignedOperation for uint256[MEMBERS];

    uint256 private constant _TOKEN_AT = 8;
    uint256 private constant _FEE_RECEIVER_AT = 32;

    function encode(uint256[MEMBERS] memory signed, uint256 most) internal pure returns (bytes memory) {
        return
            abi.encode(
                (uint256(uint160(signed.token())) << _TOKEN_AT) | WayByte.unwrap(signed.wayByte()),
                (uint256(uint160(signed.feeReceiver())) << _FEE_RECEIVER_AT) | signed.premium(),
                signed.exchangeRate(),
                most
            );
    }

    /// @dev What `encode` wrote, from the whole context.
    function decode(bytes calldata context) internal pure returns (TokenPayment memory payment) {
        uint256 tokenAndWay = context.wordAt(SponsoredContext.LENGTH);
        uint256 receiverAndPremium = context.wordAt(SponsoredContext.LENGTH + 32);
        payment.wayByte = WayByte.wrap(uint8(tokenAndWay));
        payment.token = address(uint160(tokenAndWay >> _TOKEN_AT));
        payment.feeReceiver = address(uint160(receiverAndPremium >> _FEE_RECEIVER_AT));
        payment.premium = uint32(receiverAndPremium);
        payment.exchangeRate = context.wordAt(SponsoredContext.LENGTH + 64);
        payment.most = context.wordAt(SponsoredContext.LENGTH + 96);
    }
}
