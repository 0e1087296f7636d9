// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

interface IWeirdToken {
    function setQuirk(uint8 quirk) external;
}

interface IToken {
    function balanceOf(address account) external view returns (uint256);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/**
 * @notice What a hostile account calls in its batch: it behaves, or not, depending on what it can see. The account has
 *         approved it, so whoever is the caller loses the tokens.
 */
contract Trap {
    /// @notice Flipped by another transaction, or another operation of the same bundle.
    bool public armed;

    uint256 private _burnt;

    error Sprung();

    function arm(bool armed_) external {
        armed = armed_;
    }

    /// @notice Takes all the caller's tokens.
    function sweep(IToken token, address to) public {
        token.transferFrom(msg.sender, to, token.balanceOf(msg.sender));
    }

    /// @notice The same for somebody else who approved: an account that shares its tokens with another.
    function sweepFrom(IToken token, address from, address to) external {
        token.transferFrom(from, to, token.balanceOf(from));
    }

    function sweepWhenArmed(IToken token, address to) external {
        if (armed) sweep(token, to);
    }

    /// @notice A simulated call has no gas price.
    function sweepWhenReal(IToken token, address to) external {
        if (tx.gasprice > 0) sweep(token, to);
    }

    function revertWhenArmed() external view {
        if (armed) revert Sprung();
    }

    /// @notice Has a token turn bad in the middle of an operation.
    function setQuirkWhenArmed(IWeirdToken token, uint8 quirk) external {
        if (armed) token.setQuirk(quirk);
    }

    /// @notice Leaves as little gas of the operation as the caller says.
    function burnWhenArmed(uint256 leave) external {
        while (armed && gasleft() > leave) _burnt = gasleft();
    }
}
