/**
 * What customers read, in English. Every other language has the same keys and, in any order, the same
 * `{parts}`.
 */
export const en = {
  name: 'English',
  direction: 'ltr' as const,

  page: {
    paymentTo: 'Payment to',
    pageTitle: 'Payment to {merchant}',
    total: 'Total',
    order: 'Order',
    language: 'Language',

    testMark: 'TEST',
    testText: 'This is a test payment. Send no money: it would be lost.',
    cannotBePaid: 'This payment cannot be paid at the moment. Please send no money.',

    payWith: 'Pay with',
    coin: 'Coin',
    network: 'Network',
    sendExactly: 'Send exactly',
    sendTheRest: 'Still to send',
    coinOnNetwork: '{coin} on the {network} network',
    address: '{network} address',
    networkWarning: 'Send only {coin} on {network}. Money sent on another network is lost.',
    copyAmount: 'Copy amount',
    copyAddress: 'Copy address',
    copied: 'Copied',
    openWallet: 'Open in wallet',
    qrLabel: 'QR code for your wallet: {amount} {coin} on {network}',
    priceHolds: 'This price holds until {time}, and is then calculated again.',
    payBy: 'Please pay by {time}.',
    timeLeft: '{left} left',
    mayClose: 'You may close this page: your payment goes on without it.',

    cancel: 'Cancel and go back to {merchant}',
    back: 'Back to {merchant}',
    goingBack: 'You are taken back to {merchant} in a few seconds.',
    stay: 'Stay on this page',

    progress: 'Progress',
    stepSeen: 'Seen',
    stepConfirmed: 'Confirmed',
    stepConverted: 'Converted',
    stepSettled: 'Paid',

    waitingTitle: 'Waiting for your payment',
    waitingText:
      'Already sent? It can take a minute until the network shows it. This page notices by itself.',
    underpaidTitle: 'Part of your payment is here',
    underpaidText: 'We have {received} of {total}. Please send the rest, {missing}, to the same address.',
    seenTitle: 'We have seen your payment',
    seenText: '{network} is about to confirm it. There is nothing more for you to do.',
    confirmingTitle: 'Confirming: {count} of {required}',
    confirmingText: '{network} is confirming your payment. There is nothing more for you to do.',
    convertingTitle: 'Confirmed, now converting',
    convertingText: 'Your payment is confirmed and is being converted for {merchant}. This takes a moment.',
    settledTitle: 'Paid. Thank you!',
    settledText: '{merchant} has your payment of {total}.',
    expiredTitle: 'This payment has expired',
    expiredText:
      'No money came in time. Please do not send any to this address now; go back to {merchant} to pay again.',
    expiredPartlyText:
      'Only {received} of {total} came in time. Please do not send more now; {merchant} can send back what you paid.',
    returningTitle: 'Your money came too late',
    returningText: 'It came after the deadline and is being sent back to you.',
    failedTitle: 'This payment has failed',
    failedText: 'It could not be completed. Please contact {merchant} before you pay again.',
    replacedTitle: 'Your transfer was replaced',
    replacedText:
      'Your wallet replaced or cancelled the transfer that we had seen, so it never arrived. Please contact {merchant}, or order again.',
    refundedTitle: 'Your money was sent back',
    refundedText: '{merchant} has sent back {refunded}.',

    overpaidNote: 'You sent more than was asked: {received}. Please contact {merchant} about the difference.',
    overpaidRefundNote: 'You sent more than was asked: {received}. The difference is sent back to you.',
    lateNote: 'Your money came after the deadline. It counts all the same.',
    lateHonouredNote:
      'Sent it already? What comes within 24 hours of the deadline still counts, and this page will say so.',
    lateReturnedNote: 'Sent it already? What comes after the deadline is sent back.',
    reorgedNote: 'The network has rewritten its latest blocks, so confirmations are counted again.',
    replacedNote: 'A transfer that we had seen was replaced or cancelled by its wallet, so it never arrived.',
    refundedPartNote: '{refunded} of it was sent back to you.',

    refundTitle: 'Where should money go back to?',
    refundText:
      'Money that goes back to you is sent as {coin} on {network}. Please copy the address from a wallet of your own: what is sent to a wrong one is lost.',
    refundAddress: 'Your {network} address for {coin}',
    refundKeep: 'Save address',
    refundRefused: 'This is no address of your own on {network}. Please copy one from your wallet.',
    refundKnown: 'Money that goes back to you is sent to this {network} address:',
    refundWrong: 'Is it wrong? Please contact {merchant}.',
    refundClosedTitle: 'No address can be given now',
    refundClosedText: 'One was given already, or no money goes back. Nothing was changed.',

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
    closedTitle: 'The coin can no longer be changed',
    closedText: 'Money is already on its way, or the payment is over. Nothing was changed.',
    toPayment: 'Back to the payment',
  },

  receipt: {
    paidSubject: 'Receipt from {merchant}: order {order}',
    refundedSubject: 'Refund from {merchant}: order {order}',
    partSubject: 'Partial refund from {merchant}: order {order}',
    testMark: 'TEST',
    testText: 'This is a test. No real money was moved.',

    paidTitle: 'Paid. Thank you!',
    paidText: '{merchant} has your payment of {amount}.',
    refundedTitle: 'Your money was sent back',
    partTitle: 'Part of your money was sent back',
    refundedText: '{merchant} has sent back {amount}.',

    order: 'Order',
    description: 'Description',
    total: 'Total',
    paid: 'Paid',
    sentBack: 'Sent back',
    sentBackSoFar: 'Sent back so far',
    sentAs: 'Sent as',
    network: 'Network',
    time: 'Time',
    sentTo: 'Sent to',
    transaction: 'Transaction',
    payment: 'Payment ID',

    toPage: 'See this payment',
    contact: 'Questions about your order? Please contact {merchant}.',
    automatic: 'This mail was sent automatically; answers to it are not read.',
  },
};

export type PageTexts = Readonly<Record<keyof typeof en.page, string>>;
export type ReceiptTexts = Readonly<Record<keyof typeof en.receipt, string>>;

export interface LanguageTexts {
  /** In the language itself. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  readonly page: PageTexts;
  readonly receipt: ReceiptTexts;
}
