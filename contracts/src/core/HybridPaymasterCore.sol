// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {EntryPointStake} from "./EntryPointStake.sol";
import {FundingWallets} from "./FundingWallets.sol";
import {PaymasterDataParser} from "./PaymasterDataParser.sol";
import {SignerSet} from "./SignerSet.sol";

/**
 * @title HybridPaymasterCore
 * @notice What both modes of every EntryPoint version share, and all of sponsorship: check a signature, take the most
 *         the operation can cost from the funding wallet, and after the operation give back what it did not cost.
 *
 * What each guard answers
 *  - The digest covers every field of the operation but the account's signature, the paymaster's gas limits, the
 *    EntryPoint, the chain and this contract: nothing signed here can be replayed elsewhere or altered by a sender
 *    or a bundler (free gas limits drain the deposit through the unused-gas penalty).
 *  - The digest covers whose code the sender runs by EIP-7702, as the chain has it in validation: whoever sends the
 *    transaction can put any authorization of the sender into it, and the sender would run anything at the wallet's
 *    cost. The sender has code by then, so ERC-7562 (OP-041) allows to read it.
 *  - A well-formed signature of a wrong key runs the whole path and only sets SIG_FAILED: bundlers estimate gas with
 *    such a stub, and a shorter path would make them reserve too little. The EntryPoint refuses the operation.
 *  - Precharge before execution: the operation's own calls can't take away the money it will cost.
 *  - `unaccountedGas` has a floor: the deposit is shared, so an operation billed below its cost would be paid by
 *    the other wallets.
 *  - No clock, base fee, origin, balance, oracle or foreign call in validation (ERC-7562 OP-011, OP-012, STO-*).
 *  - Settlement calls nobody and can't revert: a reverting `postOp` would undo the user's call (v0.7, v0.8) or the
 *    whole bundle (v0.6).
 * The last two are sponsorship's; `TokenMode` says where it differs.
 */
abstract contract HybridPaymasterCore is FundingWallets, PaymasterDataParser, SignerSet, EIP712 {
    struct Precharge {
        /// @dev The EntryPoint's hash of the operation; names it in the events.
        bytes32 userOpHash;
        /// @dev The account that acts.
        address sender;
        /// @dev The wallet that pays.
        address fundingWallet;
        /// @dev Taken from the wallet in validation, wei.
        uint256 prechargeWei;
        /// @dev What of it is recorded as returnable until settlement, wei.
        uint256 strandedWei;
        /// @dev What the wallet pays per million of cost.
        uint256 feeMarkup;
        /// @dev Upper bound on the gas the EntryPoint takes after it measured `actualGasCost`.
        uint256 unaccountedGas;
    }

    /// @dev In the validation data: the EntryPoint refuses the operation (AA34).
    uint256 internal constant _SIG_FAILED = 1;
    /// @dev The code of an account that delegates by EIP-7702 is this prefix and the delegate's address.
    uint256 private constant _DELEGATION_PREFIX = 0xef0100;
    /// @dev Bytes of that code.
    uint256 private constant _DELEGATION_LENGTH = 23;

    bool private _paused;

    event Paused(address account);
    event Unpaused(address account);
    event UserOperationPrecharged(
        bytes32 indexed userOpHash,
        address indexed fundingWallet,
        uint256 prechargeWei
    );
    event UserOperationSponsored(
        bytes32 indexed userOpHash,
        address indexed fundingWallet,
        address indexed sender,
        uint256 chargedWei,
        uint256 refundedWei,
        uint256 feeWei
    );

    error OwnerRequired();

    constructor(
        IStakeManager entryPoint_,
        address owner_,
        address[] memory signers_,
        uint256 withdrawalDelaySeconds_
    )
        Ownable(owner_)
        EntryPointStake(entryPoint_)
        FundingWallets(withdrawalDelaySeconds_)
        // A wallet that asks for its money when a key is added may execute in its whole window before the key counts.
        SignerSet(signers_, withdrawalDelaySeconds_ + WITHDRAWAL_WINDOW_SECONDS)
        EIP712("HybridPaymaster", "1")
    {}

    /// @notice Stops sponsoring new operations. Operations already validated settle; withdrawals go on.
    function pause() external onlyOwner {
        _paused = true;
        emit Paused(msg.sender);
    }

    /// @notice Sponsors again.
    function unpause() external onlyOwner {
        _paused = false;
        emit Unpaused(msg.sender);
    }

    /// @notice Whether sponsoring is stopped.
    function paused() external view returns (bool) {
        return _paused;
    }

    /// @notice Refused: without an owner no signer could be rotated and no stake unlocked.
    function renounceOwnership() public view override onlyOwner {
        revert OwnerRequired();
    }

    /// @dev Whose code the account runs by EIP-7702; zero where it does not delegate.
    function _delegateOf(address account) internal view returns (address delegate) {
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

    /**
     * @dev Takes the precharge and says whether the signature is good.
     * @param data The parsed paymaster data.
     * @param structHash EIP-712 struct hash of the operation.
     * @param userOpHash The EntryPoint's hash of the operation.
     * @param sender The account that acts.
     * @param prefundWei What the EntryPoint reserved for the operation.
     * @param maxFeePerGas The operation's highest price per gas.
     */
    function _precharge(
        PaymasterData memory data,
        bytes32 structHash,
        bytes32 userOpHash,
        address sender,
        uint256 prefundWei,
        uint256 maxFeePerGas
    ) internal returns (Precharge memory precharge, uint256 validationData) {

        (address signer, ECDSA.RecoverError recoverError, ) = ECDSA.tryRecover(
            _hashTypedDataV4(structHash),
            data.v,
            data.r,
            data.s
        );
        if (recoverError != ECDSA.RecoverError.NoError) _refuse(Refusal.SignatureForm, 0, 0);

        uint256 prechargeWei = _markUp(prefundWei + data.unaccountedGas * maxFeePerGas, data.feeMarkup);
        precharge = Precharge({
            userOpHash: userOpHash,
            sender: sender,
            fundingWallet: data.fundingWallet,
            prechargeWei: prechargeWei,
            strandedWei: prechargeWei - _markUp(prefundWei, data.feeMarkup),
            feeMarkup: data.feeMarkup,
            unaccountedGas: data.unaccountedGas
        });
        _debit(data.fundingWallet, prechargeWei, precharge.strandedWei);
        emit UserOperationPrecharged(userOpHash, data.fundingWallet, prechargeWei);

        uint256 activeFrom = signerActiveFrom(signer);
        validationData =
            (activeFrom == 0 ? _SIG_FAILED : 0) |
            (uint256(data.validUntil) << 160) |
            (_max(data.validAfter, activeFrom) << 208);
    }

    /**
     * @dev Charges the wallet and gives back the rest of the precharge. The EntryPoint never takes more than the
     *      prefund and the precharge is never less, so capping the charge loses nothing.
     * @param precharge What validation took.
     * @param costWei Upper bound on what the EntryPoint takes for the operation.
     * @return chargedWei What the wallet paid, its markup included.
     */
    function _settle(Precharge memory precharge, uint256 costWei) internal returns (uint256 chargedWei) {
        chargedWei = _min(_markUp(costWei, precharge.feeMarkup), precharge.prechargeWei);
        uint256 refundedWei = precharge.prechargeWei - chargedWei;
        // Income is what certainly stays after the EntryPoint's part.
        uint256 feeWei = chargedWei - _min(costWei, chargedWei);
        _credit(precharge.fundingWallet, refundedWei, precharge.strandedWei, feeWei);
        emit UserOperationSponsored(
            precharge.userOpHash,
            precharge.fundingWallet,
            precharge.sender,
            chargedWei,
            refundedWei,
            feeWei
        );
    }

    function _max(uint256 a, uint256 b) private pure returns (uint256) {
        return a > b ? a : b;
    }

    /// @dev Adds the markup and rounds up: rounding is paid by the wallet, never by the shared deposit.
    function _markUp(uint256 amountWei, uint256 feeMarkup) internal pure returns (uint256) {
        return Math.ceilDiv(amountWei * feeMarkup, MARKUP_UNIT);
    }
}
