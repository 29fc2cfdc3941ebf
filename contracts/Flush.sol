// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Moves the money of many forwarders in one transaction: the transaction creates this contract, whose constructor
/// does all of it, and leaves no code behind. So nobody has to deploy or to trust a helper, and there is nothing that
/// could be called later. It holds no money and has no rights: what it calls, anybody may call. Nobody has audited it.
contract Flush {
    /// Calls that differ in one word.
    struct Group {
        /// Who is called, with the item in front of code and tail: the factory, with a salt. Zero: each item is the
        /// address of a forwarder, which is called with the tail.
        address target;
        /// The gas of each call, which is as much as one of them can waste.
        uint256 gasEach;
        bytes tail;
        bytes32[] items;
    }

    constructor(bytes memory code, Group[] memory groups) {
        for (uint256 g = 0; g < groups.length; ++g) {
            Group memory group = groups[g];
            bool deploys = group.target != address(0);
            bytes memory data = deploys ? bytes.concat(bytes32(0), code, group.tail) : group.tail;
            for (uint256 i = 0; i < group.items.length; ++i) {
                bytes32 item = group.items[i];
                address target = deploys ? group.target : address(uint160(uint256(item)));
                uint256 gasEach = group.gasEach;
                // With less, the call would get less than it is to have (EIP-150), and fail for that. It is also what an
                // estimate of the gas must see: what a call does is not looked at.
                uint256 left = gasleft();
                if (left - left / 64 < gasEach + 10_000) revert();
                // Whatever it does: the others go on. What it returns, a bomb or nothing, is not copied.
                assembly ("memory-safe") {
                    if deploys { mstore(add(data, 32), item) }
                    pop(call(gasEach, target, 0, add(data, 32), mload(data), 0, 0))
                }
            }
        }
        assembly ("memory-safe") {
            return(0, 0)
        }
    }
}
