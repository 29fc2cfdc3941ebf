export const [RECEIVED, KNOWN, PAID] = ['on chain', 'known money', 'paid back'] as const;

/** What is compared with chains. */
export const CHAIN_INVARIANTS = [
  {
    name: RECEIVED,
    meaning:
      "what the ledger received is in blocks up to the final one, at its payment's address, to the unit",
    remedy:
      'Send nothing back for the payment. Look the transaction up with an explorer: what is not there never came, ' +
      'and row or ledger was changed by hand, or a provider has lied. What is there and not in the ledger is ' +
      'credited by npm run ops -- chain rescan --network NETWORK --from HEIGHT.',
  },
  {
    name: KNOWN,
    meaning: 'the address of a payment holds nothing that the ledger does not know',
    remedy:
      'npm run ops -- chain rescan --network NETWORK --from HEIGHT, with a block before it came, credits what a ' +
      'transaction tells of, and stuck --release what is quarantined. What stays came before the payment, or by a ' +
      "contract after its end: it is in the merchant's wallet, and nobody is credited with it; ask the customer, " +
      'and send it back by hand.',
  },
  {
    name: PAID,
    meaning: 'refunds that are COMPLETED are in blocks up to the final one, to the unit',
    remedy:
      'The customer may not have their money: look the transaction up with an explorer, and ask the merchant. ' +
      'Who changed the row? npm run ops -- status shows the last actions.',
  },
] as const;
