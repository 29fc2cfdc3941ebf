/** What answers the customer, helps them, or stands instead of a payment; in the simulator too. */
export const messages = {
  copyFailed: 'This browser does not copy. It is selected now: copy it from the menu.',
  otherWallet: 'Another wallet',
  copyCode: 'Copy code',
  nothingOpens:
    'Nothing opened? No wallet on this device answers. Scan the code, or copy amount and address.',
  sentTitle: 'Sent. Waiting for the network',
  sentText:
    'Your wallet has sent your payment. This page shows it as soon as {network} does. Please do not send it again: amount, address and code are put away.',
  unsent: 'Not sent? Show them',
  underpaidMore: 'Send {missing} more to the same address by {time}: then your payment is complete.',
  underpaidBack: 'Or send nothing more: when this payment has ended, {merchant} can send {back} back.',
  offline:
    'You are offline. This page goes on as soon as you are connected; a payment that is sent is not lost.',
  findTitle: 'Already sent? Paste your transaction id',
  findLabel: 'Transaction id, or a link to it',
  findButton: 'Look it up',
  findBad:
    'This is no transaction id of {network}. Copy it from your wallet or exchange, where it may be called hash or TxID.',
  findUnknown:
    '{network} does not know this transaction. If you sent it just now, try again in a minute; else check that it was sent on {network}.',
  findElsewhere:
    '{network} knows this transaction, but it pays another address. Please compare the address in your wallet with the one on this page.',
  findDropped: 'This transaction was replaced or cancelled by its wallet, so its money never arrived.',
  findSeen: '{network} has this transaction, and it pays this address. This page shows it in a moment.',
  findCounted: 'We have this transaction: it counts for this payment.',
  findUnable:
    'We cannot ask {network} now. Nothing is lost: this page shows the payment as soon as we see it.',
  findUnseen:
    'We have read {network} up to now, and this transaction has not paid this address. If you sent it just now, it shows here by itself; else compare the address in your wallet with the one on this page.',
  phoneTitle: 'Continue on your phone',
  phoneText: 'Scan this with your camera: it opens this page there.',
  refundTitle: 'Where should money go back to?',
  refundText:
    'Money that goes back to you is sent as {coin} on {network}. Please copy the address from a wallet of your own: what is sent to a wrong one is lost.',
  refundAddress: 'Your {network} address for {coin}',
  refundNext: 'Continue',
  refundCheck: 'Is this right?',
  refundAmount: 'Goes back',
  refundForGood:
    'Please compare it with your wallet, character by character. Once saved it cannot be changed here, and what is sent to a wrong address is lost.',
  refundKeep: 'Yes, save this address',
  refundChange: 'Change it',
  refundRefused: 'This is no address of your own on {network}. Please copy one from your wallet.',
  refundKnown: 'Money that goes back to you is sent to this {network} address:',
  refundWrong: 'Is it wrong? Please contact {merchant}.',
  refundClosedTitle: 'No address can be given now',
  refundClosedText: 'One was given already, or no money goes back. Nothing was changed.',
  linkAmount: 'Amount in {currency}',
  linkBounds: 'From {min} to {max}',
  linkOptional: '{label} (optional)',
  linkPay: 'Pay {amount}',
  linkLeft: 'Still available: {count}',
  linkBad:
    'Please check what you have entered: an answer is missing or too long, or the amount is outside its bounds.',
  linkLater: 'This cannot be paid for just now, and nothing was bought. Please try again in a moment.',
  linkSoldTitle: 'Sold out',
  linkSoldText:
    'The last one has been taken. Should that payment not be completed, it is available again: try again later.',
  linkOverTitle: 'No more payments are taken here',
  linkOverText: 'This link has ended or was closed. Please ask the shop for a new one.',
  linkPausedTitle: 'No payments are taken here for now',
  linkPausedText: 'The shop has paused this link. Please try again later.',
  linkThanks: 'Thank you!',
  simulatorTitle: 'Simulator: no real money',
  simulatorText: 'This is a test payment. Play the customer and see what happens.',
  simulatorPay: 'Pay exactly',
  simulatorHalf: 'Pay half',
  simulatorDouble: 'Pay double',
  simulatorReplace: 'Replace the transfer',
  simulatorExpire: 'Let it expire',
  simulatorSent: 'Simulated transfer sent.',
  simulatorReplaced: 'Transfer replaced.',
  simulatorExpired: 'The clock was moved to the deadline.',
  simulatorFailed: 'That did not work. Please try again.',
  simulatorBadTitle: 'That cannot be simulated',
  simulatorBadText: 'The simulator does not know this. Nothing was changed.',
  simulatorOverTitle: 'That is no longer possible',
  simulatorOverText: 'The payment has moved on. Nothing was changed.',
  simulatorBusyTitle: 'The clock is in use',
  simulatorBusyText: 'Somebody else is moving the clock of this payment. Please try again in a moment.',
  missingTitle: 'Page not found',
  missingText: 'There is no such payment. Please check the link that the merchant gave you.',
  errorTitle: 'One moment',
  errorText: 'The payment cannot be shown just now. This page tries again by itself.',
  maintenanceTitle: 'Back soon',
  maintenanceText:
    'The checkout is under maintenance. Please do not send any money now: wait until this page, which tries again by itself, shows the payment.',
  limitedTitle: 'Too many requests',
  limitedText: 'Please wait a minute. This page tries again by itself.',
  badMethodTitle: 'That cannot be chosen',
  badMethodText: 'This coin is not offered on this network. Nothing was changed.',
  badFormTitle: 'That could not be read',
  badFormText: 'This form was not one of the page’s own. Nothing was changed.',
  tooLongTitle: 'That was too long',
  tooLongText: 'This form is longer than the page takes. Nothing was changed. Go back and shorten it.',
  closedTitle: 'The coin can no longer be changed',
  closedText: 'Money is already on its way, or the payment is over. Nothing was changed.',
  refundAskedTitle: 'Your refund waits for an address',
  refundAskedText: '{amount} goes back to you on {network}. Enter an address of a wallet of your own.',
  refundAwaitedTitle: 'Your refund is being prepared',
  refundAwaitedText: '{merchant} sends {amount} on {network} to the address below.',
  refundSentTitle: 'Your refund is on its way',
  refundSentText:
    '{amount} is sent on {network}, by the transaction below. It counts once the network has confirmed it.',
  refundHeldTitle: 'Your refund is being checked',
  refundHeldText:
    '{merchant} is looking at a transfer of {amount} on {network}. There is nothing for you to do.',
  refundedAmount: 'Sent back',
  refundedAt: 'Sent back on',
  refundedTo: 'To address',
  overTitle: 'The time to pay is over',
  overText:
    'Please send nothing now. What was sent in time still counts: this page shows it as soon as the network does.',
  again: 'To pay again, order once more at {merchant}.',
  done: 'You may close this page.',
  sentLostNote:
    'The transaction that your wallet sent was replaced, cancelled or refused, and paid nothing here. Please pay again.',
  mailLabel: 'Mail a receipt to',
  mailHint: 'This can be entered once. {merchant} sees it too.',
  mailButton: 'Send',
  mailBad: 'This is no mail address. Please check it.',
  mailDone: 'Your receipt goes there.',
  mailClosedTitle: 'No mail address can be given now',
  mailClosedText: 'One was given already, or no receipt is to be sent. Nothing was changed.',
  print: 'Print or save',
  nowhereText: 'There is nothing at this address. Please check the link.',
  toPayment: 'Back to the payment',
};

/** What the page says of wallets in the browser: its script loads it where there is one. */
export const wallet = {
  pay: 'Pay with the wallet in this browser',
  payWith: 'Pay with {wallet}',
  asking: 'Confirm it in the wallet',
  sent: 'Sent. This page shows it as soon as the network does.',
  rejected: 'Cancelled in the wallet. Nothing was sent.',
  pending: 'The wallet already has an open request. Answer it there, then try again here.',
  funds: 'The wallet has too little for this amount and the network’s fee. Nothing was sent.',
  chain:
    'The wallet does not switch to {network}. Nothing was sent: add the network there, or scan the code.',
  failed: 'The wallet did not confirm this. Please look there before you send again.',
  unsure:
    'The wallet did not say whether it sent this. Look there first: only if nothing was sent, reload this page to pay again.',
};

/** Mails to a customer whose payment is open. */
export const mails = {
  incompleteSubject: 'Part of your payment to {merchant} is missing: order {order}',
  incompleteTitle: 'A part of your payment is missing',
  incompleteText: 'We have {amount} of {total} for your order at {merchant}.',
  givenContact: 'Was it not you? Then contact {merchant} at once.',
};
