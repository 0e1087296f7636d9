// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {PaymentContext, TokenPayment} from "../src/layouts/PaymentContext.sol";
import "../src/layouts/SignedOperation.sol";
import {Precharge, SponsoredContext} from "../src/layouts/SponsoredContext.sol";
import {VersionTerms, VersionTermsOf} from "../src/layouts/VersionTerms.sol";
import {WalletWord, WalletWords} from "../src/layouts/WalletWord.sol";
import {WayByte} from "../src/layouts/WayByte.sol";
import {TestBase} from "./support/TestBase.sol";

/// @notice What is packed comes out again, for every value that fits. The contracts prove that nothing else is packed.
contract LayoutsTest is TestBase {
    function testFuzz_walletWord_holdsItsParts(uint96 balance, uint80 stranded, uint80 fees, uint96 other) public pure {
        WalletWord word = WalletWords.pack(balance, stranded, fees);
        _assertParts(word, balance, stranded, fees);
        _assertParts(word.withBalance(other), other, stranded, fees);
        _assertParts(word.withFeesCollected(), balance, stranded, 0);
        uint256 together = uint256(balance) + stranded;
        _assertParts(word.withStrandedReturned(), together > type(uint96).max ? type(uint96).max : together, 0, fees);
    }

    /// @dev The word is changed as a whole; each part becomes what it would become alone.
    function testFuzz_walletWord_debitsPartByPart(
        uint96 balance,
        uint80 stranded,
        uint80 fees,
        uint96 precharge,
        uint80 part
    ) public pure {
        WalletWord word = WalletWords.pack(balance, stranded, fees);
        bool fits = precharge <= balance && uint256(stranded) + part <= type(uint80).max;
        assertTrue(word.covers(precharge, part) == fits, "covers");
        if (fits) _assertParts(word.debited(precharge, part), balance - precharge, stranded + part, fees);
    }

    function test_walletWord_coversUpToItsEndsAndNotBeyond() public pure {
        WalletWord word = WalletWords.pack(5, 7, 0);
        assertTrue(word.covers(5, 0) && !word.covers(6, 0), "balance");
        uint256 room = uint256(type(uint80).max) - 7;
        word = WalletWords.pack(type(uint96).max, 7, 0);
        assertTrue(word.covers(room, room) && !word.covers(room + 1, room + 1), "stranded");
    }

    function testFuzz_walletWord_creditsPartByPart(
        uint96 balance,
        uint80 stranded,
        uint80 fees,
        uint96 refund,
        uint80 part,
        uint96 fee
    ) public pure {
        if (part > stranded) return;
        uint256 more = uint256(balance) + refund;
        uint256 allFees = uint256(fees) + fee;
        _assertParts(
            WalletWords.pack(balance, stranded, fees).credited(refund, part, fee),
            more > type(uint96).max ? type(uint96).max : more,
            stranded - part,
            allFees > type(uint80).max ? type(uint80).max : allFees
        );
    }

    function testFuzz_versionTerms_areInverse(uint88 first, uint88 second) public pure {
        (uint256 a, uint256 b) = VersionTermsOf.v06(first, second).asV06();
        assertTrue(a == first && b == second, "v0.6");
        (a, b) = VersionTermsOf.v07(first, second).asV07();
        assertTrue(a == first && b == second, "v0.7");
        assertTrue(VersionTermsOf.v08(first).asV08() == first, "v0.8");
    }

    function testFuzz_wayByte_holdsItsParts(uint8 packed) public pure {
        WayByte wayByte = WayByte.wrap(packed);
        assertTrue(wayByte.way() == packed % 16, "way");
        assertTrue(wayByte.gasQuarters() == 4 + packed / 16, "quarters");
    }

    function testFuzz_contexts_areInverse(
        Precharge memory precharge,
        TokenPayment memory payment,
        uint176 versionTerms
    ) public view {
        precharge.prechargeWei = uint96(precharge.prechargeWei);
        precharge.strandedWei = uint80(precharge.strandedWei);
        precharge.feeMarkup = uint32(precharge.feeMarkup);
        precharge.unaccountedGas = uint32(precharge.unaccountedGas);
        payment.wayByte = WayByte.wrap(uint8(WayByte.unwrap(payment.wayByte)));
        payment.premium = uint32(payment.premium);
        uint256[MEMBERS] memory signed;
        signed[SENDER] = uint160(precharge.sender);
        signed[FUNDING_WALLET] = uint160(precharge.fundingWallet);
        signed[FEE_MARKUP] = precharge.feeMarkup;
        signed[UNACCOUNTED_GAS] = precharge.unaccountedGas;
        signed[WAY] = WayByte.unwrap(payment.wayByte);
        signed[TOKEN] = uint160(payment.token);
        signed[EXCHANGE_RATE] = payment.exchangeRate;
        signed[PREMIUM] = payment.premium;
        signed[FEE_RECEIVER] = uint160(payment.feeReceiver);
        bytes memory context = bytes.concat(
            SponsoredContext.encode(
                precharge.userOpHash,
                signed,
                VersionTerms.wrap(versionTerms),
                precharge.prechargeWei,
                precharge.strandedWei
            ),
            PaymentContext.encode(signed, payment.most)
        );
        (Precharge memory decoded, VersionTerms terms, TokenPayment memory decodedPayment) = this.decode(context);
        assertTrue(keccak256(abi.encode(decoded)) == keccak256(abi.encode(precharge)), "precharge");
        assertTrue(VersionTerms.unwrap(terms) == versionTerms, "the version's own");
        assertTrue(keccak256(abi.encode(decodedPayment)) == keccak256(abi.encode(payment)), "payment");
    }

    function decode(
        bytes calldata context
    ) external pure returns (Precharge memory precharge, VersionTerms versionTerms, TokenPayment memory payment) {
        (precharge, versionTerms) = SponsoredContext.decode(context);
        payment = PaymentContext.decode(context);
    }

    function _assertParts(WalletWord word, uint256 balance, uint256 stranded, uint256 fees) private pure {
        assertTrue(word.balanceWei() == balance, "balance");
        assertTrue(word.strandedWei() == stranded, "stranded");
        assertTrue(word.feesWei() == fees, "fees");
    }
}
