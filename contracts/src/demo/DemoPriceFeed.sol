// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @notice A price feed of Chainlink's shape (AggregatorV3Interface) that says whatever it is told by anyone: stale,
 *         zero, negative or jumping prices. Also an L2 sequencer uptime feed: answer 0 is up, 1 is down, `startedAt`
 *         is when that began. For local worlds and tests only.
 */
contract DemoPriceFeed {
    struct Round {
        /// @dev The price in units of `decimals`, or the sequencer's state.
        int256 answer;
        /// @dev When the round, or the sequencer's state, began, unix time.
        uint256 startedAt;
        /// @dev When the answer was given, unix time.
        uint256 updatedAt;
    }

    /// @notice Digits of an answer after the point.
    uint8 public immutable decimals;
    /// @notice What is priced, as "ETH / USD".
    string public description;
    /// @notice Version of the aggregator's interface.
    uint256 public constant version = 4;

    uint80 private _latestRoundId;
    mapping(uint80 roundId => Round) private _rounds;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    error NoData(uint80 roundId);

    constructor(uint8 decimals_, string memory description_, int256 answer) {
        decimals = decimals_;
        description = description_;
        _add(Round(answer, block.timestamp, block.timestamp));
    }

    /// @notice Gives a new answer as of now.
    function setAnswer(int256 answer) external {
        _add(Round(answer, block.timestamp, block.timestamp));
    }

    /// @notice Gives a new answer with times of its own, also past and future ones.
    function setRound(int256 answer, uint256 startedAt, uint256 updatedAt) external {
        _add(Round(answer, startedAt, updatedAt));
    }

    /// @notice The newest round.
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return getRoundData(_latestRoundId);
    }

    /// @notice A round by its number, from 1.
    function getRoundData(
        uint80 roundId_
    )
        public
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        if (roundId_ == 0 || roundId_ > _latestRoundId) revert NoData(roundId_);
        Round memory round = _rounds[roundId_];
        return (roundId_, round.answer, round.startedAt, round.updatedAt, roundId_);
    }

    function _add(Round memory round) private {
        _latestRoundId += 1;
        _rounds[_latestRoundId] = round;
        emit AnswerUpdated(round.answer, _latestRoundId, round.updatedAt);
    }
}
