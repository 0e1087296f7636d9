// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @title Refusals
 * @notice Why an operation may be refused outright (a revert, unlike a wrong signer): in validation, and in `postOp`
 *         when it can't charge the sender.
 * @dev One list for every EntryPoint version; how a refusal reads is the version's business: EntryPoint v0.6
 *      relays only `Error(string)`, later versions relay any revert data.
 */
abstract contract Refusals {
    /// @dev The condition that failed. `_refuse` receives the values that explain it.
    enum Refusal {
        SigningPaused,
        DataLength,
        UnknownMode,
        ValidityWindow,
        FundingWallet,
        FeeMarkup,
        UnaccountedGas,
        GasLimit,
        SignatureForm,
        FundingBalance,
        ReturnBefore,
        ChargingWay,
        Token,
        ExchangeRate,
        Premium,
        FeeReceiver,
        MaxTokenCharge,
        TokenTransfer,
        TokenReceived,
        TokenCharge
    }

    /**
     * @dev Reverts, always.
     * @param refusal The condition that failed.
     * @param actual The value found, 0 where none explains more.
     * @param expected The bound it broke, 0 where there is none.
     */
    function _refuse(Refusal refusal, uint256 actual, uint256 expected) internal pure virtual;
}
