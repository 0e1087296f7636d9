// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {DemoCounter} from "../src/demo/DemoCounter.sol";
import {TestBase} from "./support/TestBase.sol";

contract DemoCounterTest is TestBase {
    function test_countsPerCaller() public {
        DemoCounter counter = DemoCounter(_deploy("DemoCounter", ""));
        counter.increment();
        counter.add(4);
        vm.deal(address(this), 1);
        counter.tip{value: 1}();
        assertEq(counter.countOf(address(this)), 6, "count");
        assertEq(counter.countOf(address(1)), 0, "another caller's count");
        assertEq(address(counter).balance, 1, "tip");
        counter.reset();
        assertEq(counter.countOf(address(this)), 0, "reset");
    }
}
