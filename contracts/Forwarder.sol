// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

interface Token {
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external;
}

/// A deposit address that can pay its treasury and nobody else. It has no owner and no key: whoever pays the gas
/// may deploy it and flush it. Nobody has audited it.
///
/// Money may come before there is any code at the address (CREATE2): the deployment moves what is there. Nothing
/// reverts for what cannot be moved: a token that refuses must not keep the others, nor the native coin.
contract Forwarder {
    address private immutable treasury;

    constructor(address to, address[] memory tokens) payable {
        treasury = to;
        move(to, tokens);
    }

    receive() external payable {}

    /// Moves all of each token, and the native coin, to the treasury. Any token: the list of the deployment is no
    /// limit.
    function flush(address[] memory tokens) external {
        move(treasury, tokens);
    }

    function move(address to, address[] memory tokens) private {
        for (uint256 i = 0; i < tokens.length; ++i) {
            address token = tokens[i];
            // The contract of another network: a call to an address without code succeeds.
            if (token.code.length == 0) continue;
            (bool known, bytes memory answer) = token.staticcall(abi.encodeCall(Token.balanceOf, (address(this))));
            if (!known || answer.length < 32) continue;
            uint256 balance = abi.decode(answer, (uint256));
            if (balance == 0) continue;
            // Some tokens return nothing, others false: the balance that is left says whether it went.
            (bool called,) = token.call(abi.encodeCall(Token.transfer, (to, balance)));
            if (!called) continue;
        }
        if (address(this).balance == 0) return;
        (bool sent,) = to.call{value: address(this).balance}("");
        if (!sent) return;
    }
}
