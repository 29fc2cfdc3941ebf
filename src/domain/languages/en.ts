import { mails, messages, wallet } from './messages/en.ts';

/**
 * What customers read, in English. Every other language has the same keys and, in any order, the same
 * `{parts}`.
 */
export const en = {
  name: 'English',
  direction: 'ltr' as const,

  page: {
    ...messages,
    paymentTo: 'Payment to',
    pageTitle: 'Payment to {merchant}',
    total: 'Total',
    about: 'about',
    order: 'Order',
    language: 'Language',
    stopReloading: 'Stop reloading this page',
    reload: 'Reload this page',

    testMark: 'TEST',
    testText: 'This is a test payment. Send no money: it would be lost.',
    cannotBePaid: 'This payment cannot be paid at the moment. Please send no money.',

    chooseFirst: 'Choose how to pay',
    payWith: 'Pay with',
    method: '{coin} on {network}',
    change: 'Change',
    coin: 'Coin',
    network: 'Network',
    networkHint: '{time}, {fee}',
    feeLow: 'fee below a cent',
    feeMedium: 'medium fee',
    feeHigh: 'higher fee',
    sendExactly: 'Send exactly',
    sendTheRest: 'Still to send',
    address: '{network} address',
    networkWarning: 'Send only {coin} on {network}. Money sent on another network is lost.',
    walletFee: 'Your wallet adds its fee.',
    payingFrom: 'Where you pay from',
    fromWallet: 'From a wallet',
    fromExchange: 'From an exchange',
    exchangeFee:
      'Exactly {amount} must arrive. Exchanges take their fee from what you send: choose an amount from which this much is left.',
    exchangeNetwork: 'Choose the network {network} there. No memo or tag is needed.',
    exchangeDelay: 'An exchange often needs 5 to 30 minutes before it sends.',
    copyAmount: 'Copy amount',
    copyAddress: 'Copy address',
    copied: 'Copied',
    openWallet: 'Open in wallet',
    showCode: 'Show code',
    codeHolds: 'What the code holds',
    codeAddress: 'Address only',
    codeAmount: 'Address and amount',
    qrAddress: 'QR code of the {network} address, without the amount',
    qrLabel: 'QR code for your wallet: {amount} {coin} on {network}',
    priceHolds: 'This price holds for {left}, until {time}.',
    priceOver: 'This price has ended. Please wait a moment: a new one is on its way.',
    repriced: 'New price: {amount} instead of {before}.',
    repricedSent:
      'Already sent {before}? Do not send again: in time it counts in full, later at the rate of the moment, and this page says if anything is missing.',
    payBy: 'Please pay by {time}.',
    payWithin: 'Pay within {left}, by {time}.',
    mayClose: 'You may close this page: your payment goes on without it.',

    cancel: 'Cancel and go back to {merchant}',
    back: 'Back to {merchant}',
    newPayment: 'Pay again at {merchant}',
    contact: 'Contact {merchant}',
    goingBack: 'You are taken back to {merchant} in 20 seconds.',
    stay: 'Stay on this page',

    progress: 'Progress',
    barLabel: 'Confirmations',
    barText: 'About {left} left',
    proof: 'Your payment',
    sent: 'Sent',
    seenAt: 'Received',
    paidAt: 'Paid',
    transaction: 'Transaction',
    receipt: 'Receipt',
    receiptTo: 'to {mail}',

    waitingTitle: 'Waiting for your payment',
    waitingText:
      'Already sent? It can take a minute until the network shows it. This page notices by itself.',
    underpaidTitle: 'Part of your payment is here',
    underpaidText: 'We have {received} of {total}.',
    seenTitle: 'We have seen your payment',
    seenText: '{network} is about to confirm it. There is nothing more for you to do.',
    confirmingTitle: 'Confirming: {count} of {required}',
    confirmingText: '{network} is confirming your payment. There is nothing more for you to do.',
    convertingTitle: 'Confirmed, now converting',
    convertingText: 'Your payment is confirmed and is being converted for {merchant}. This takes a moment.',
    settledTitle: 'Paid. Thank you!',
    settledText: '{merchant} has your payment of {total}.',
    cancelledTitle: 'This payment was cancelled',
    cancelledText:
      '{merchant} has cancelled this payment. Do not send anything any more; what you have sent can be returned to you.',
    expiredTitle: 'This payment has expired',
    expiredText:
      'No money came in time. Please do not send any to this address now; go back to {merchant} to pay again.',
    expiredPartlyText:
      'Only {received} of {total} came in time. Please do not send more now; {merchant} can send back what you paid.',
    returningTitle: 'Your money came too late',
    returningText: 'It came after the deadline and goes back to you.',
    failedTitle: 'This payment has failed',
    failedText: 'It could not be completed. {merchant} can send back what you paid.',
    replacedTitle: 'Your transfer was replaced',
    replacedText:
      'Your wallet replaced or cancelled the transfer that we had seen, so it never arrived. Please order again.',
    refundedTitle: 'Your money was sent back',
    refundedText: '{merchant} has sent back {refunded}.',

    overpaidNote:
      'It is paid. You sent more than was asked: {received}. {merchant} can send back the difference.',
    overpaidRefundNote: 'You sent more than was asked: {received}. The difference is sent back to you.',
    lateNote: 'Your money came after the deadline. It counts all the same.',
    lateHonouredNote:
      'Sent it already? What comes within 24 hours of the deadline still counts, and this page will say so.',
    lateReturnedNote: 'Sent it already? What comes after the deadline is sent back.',
    reorgedNote: 'The network has rewritten its latest blocks, so confirmations are counted again.',
    replacedNote: 'A transfer that we had seen was replaced or cancelled by its wallet, so it never arrived.',
    refundedPartNote: '{refunded} of it was sent back to you.',
  },

  wallet,

  receipt: {
    ...mails,
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

    tooLittleSubject: 'Your payment to {merchant} was not complete: order {order}',
    tooLateSubject: 'Your payment to {merchant} came too late: order {order}',
    tooLittleTitle: 'Your payment was not complete',
    tooLateTitle: 'Your money came too late',
    tooLittleText: 'Only {amount} of {total} came in time, so your order at {merchant} is not paid.',
    tooLateText:
      '{amount} came after this payment had ended, so it does not pay for your order at {merchant}.',
    sendNoMore: 'Please send no more to this address.',
    givenSubject: 'Your refund address at {merchant}: order {order}',
    givenTitle: 'An address for refunds was saved',
    givenText:
      'Money that {merchant} sends back to you goes to the address below, which was entered on the page of your payment.',
    askedSubject: 'Your refund from {merchant} needs an address: order {order}',
    askedTitle: 'Your refund waits for an address',
    askedText: '{merchant} sends {amount} back to you.',
    keptText: '{merchant} can send it back to you.',
    returnedText: 'It is sent back to you.',
    addressText:
      'To get your money back, open this payment and enter an address of a wallet of your own. Until then it cannot be sent back to you.',
    order: 'Order',
    description: 'Description',
    price: 'Price',
    total: 'Total',
    paid: 'Paid',
    received: 'Received',
    goesBack: 'Goes back',
    goesBackTo: 'Goes back to',
    sentBack: 'Sent back',
    sentBackSoFar: 'Sent back so far',
    sentAs: 'Sent as',
    network: 'Network',
    time: 'Time',
    sentTo: 'Sent to',
    transaction: 'Transaction',
    payment: 'Payment ID',

    toPage: 'See this payment',
    toAddress: 'Enter an address',
    contact: 'Questions about your order? Please contact {merchant}.',
    automatic: 'This mail was sent automatically; answers to it are not read.',
    answers: 'This mail was sent automatically; answers to it go to {merchant}.',
  },
};

export type PageTexts = Readonly<Record<keyof typeof en.page, string>>;
export type WalletTexts = Readonly<Record<keyof typeof wallet, string>>;
export type ReceiptTexts = Readonly<Record<keyof typeof en.receipt, string>>;

export interface LanguageTexts {
  /** In the language itself. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  readonly page: PageTexts;
  /** What the page's script says of wallets in the browser. */
  readonly wallet: WalletTexts;
  readonly receipt: ReceiptTexts;
}
