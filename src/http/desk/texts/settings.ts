/** The texts of the settings. */
export const SETTINGS = {
  title: 'Settings',
  save: 'Save',
  saved: 'Saved.',
  preview: { title: 'Preview', light: 'Light', dark: 'Dark' },
  ownersOnly: 'Only owners change this.',
  changersOnly: 'Owners and developers change this.',
  sections: {
    wallets: 'Wallets',
    methods: 'Accepted methods',
    policy: 'Policies',
    appearance: 'Appearance',
    mails: 'Mail texts',
  },
  about: {
    wallets: 'Where the money of your customers goes.',
    methods: 'Coins and networks that customers can pay with.',
    policy: 'What happens when a customer pays too little, too much or too late.',
    appearance: 'Name, logo, colour and help on the pages of your customers.',
    mails: 'What the mails to your customers say.',
    people: 'Who may do what here.',
    exports: 'Payments, transfers, refunds and the ledger as files.',
  },
  methods: {
    title: 'Coins and networks',
    intro:
      'Customers can pay with what is switched on. With everything on, the cheapest network stands first, and coins that are added later are on as well.',
    introLive:
      'Customers can pay with what is switched on. Apart from your settlement coin, what comes stays the coin that it is. It holds for open payments too.',
    none: 'No network serves this shop yet. The operator of the service knows why.',
    coin: 'Coin',
    offered: 'On',
    note: 'Note',
    offer: '{coin} on {network}',
    par: 'Your settlement coin',
    wallet: 'Needs a wallet on this network first',
    owner: 'Only an owner accepts another coin',
    operator: 'The operator sets what your exchange account takes',
    atLeastOne: 'Customers need at least one coin to pay with: switch one on.',
  },
  policy: {
    intro:
      'These hold for payments that are created from ten seconds after you save. A payment that exists keeps what it was created with.',
    underpaid: {
      legend: 'A customer pays too little',
      wait: {
        label: 'Wait for the rest',
        text: 'The page asks for the rest until the deadline. Then the payment expires, and what came can be sent back.',
        example:
          'Of {price} {coin} a customer sends {less}: the page asks for 2.00 more, to the same address.',
      },
      accept: {
        label: 'Accept a little less',
        text: 'What is short by at most the tolerance counts as paid, and you get what came.',
        example: 'With {percent} % of tolerance, {least} {coin} pay for {price} {coin}.',
      },
      tolerance: 'Tolerance in percent',
      toleranceHint: 'From 0 to 100, for the second choice alone. With 100, any amount counts as paid.',
    },
    overpaid: {
      legend: 'A customer pays too much',
      keep: {
        label: 'Keep it',
        text: 'The payment is settled, and says what came. You can refund what was too much.',
        example: 'Of {price} {coin} a customer sends 110.00: you have 110.00, until you send 10.00 back.',
      },
      refund_excess: {
        label: 'Send back what is too much',
        text: 'After settlement a refund is made of it. It waits for an address where the customer has named none.',
        example: 'Of {price} {coin} a customer sends 110.00: 10.00 go back, without the fee of the network.',
      },
    },
    late: {
      legend: 'Money comes after the deadline',
      honour: {
        label: 'Take it for 24 hours',
        text: 'An expired payment that is paid within 24 hours is settled all the same.',
        example:
          'A deadline is 12:00, and {price} {coin} come at 14:00: the payment is settled. Coins with a price that moves count at that of 14:00.',
      },
      refund: {
        label: 'Send it back',
        text: 'The order stays expired, and a refund of everything that came is made.',
        example:
          'A deadline is 12:00, and {price} {coin} come at 14:00: {price} go back, and nothing is sold.',
      },
    },
  },
  appearance: {
    title: 'What customers see',
    name: { label: 'Name', hint: 'Empty: the name of the shop.' },
    accent_color: { label: 'Colour', hint: '#rrggbb, for buttons and links. Empty: the colour of the page.' },
    display_currency: 'Price also in',
    noCurrency: 'No other currency',
    support_url: {
      label: 'Help for customers',
      hint: 'An https address, or mailto: and a mail address, to which answers to mails go as well. Empty: no button.',
    },
    embed_origins: {
      label: 'Sites that show the checkout in a frame',
      hint: 'One a line, such as https://shop.example. Empty: none.',
    },
    previewText: 'A page as customers see it on a phone. Its payment does not exist, and nobody can pay it.',
    logo: 'Logo',
    noLogo: 'There is none: the page shows the first letters of the name.',
    chooseLogo: 'An image',
    logoHint: 'PNG, JPEG or WebP, at most 100 kB and 2048 by 2048 pixels, not animated.',
    upload: 'Use this image',
    removeLogo: 'Remove the logo',
  },
  wallets: {
    testText: 'This is a test shop: its payments are simulated, and use no wallet.',
    nowTitle: 'Where money goes now',
    ownTitle: 'Your wallets',
    none: 'There is none yet.',
    network: 'Network',
    networks: 'Networks',
    source: 'Whose',
    sources: {
      own: 'Your wallet',
      default: 'The wallet of the service, for shops without one',
      exchange: 'Your account at the exchange',
      none: 'None: nobody can pay here',
    },
    kind: 'Kind',
    kinds: {
      xpub: 'Account key: a new address of your wallet for each payment',
      forwarder: 'Address: everything is forwarded to it (unaudited)',
    },
    to: 'To',
    state: 'State',
    states: {
      pending: 'Not confirmed',
      in_use: 'In use',
      retired: 'No longer used',
      refused: 'Refused: it is not as it was stored. Call the operator',
    },
    waits: 'Used from',
    waiting: 'Confirmed, and waiting',
    used: 'Used from',
    waitsText:
      'It waits, and takes money from {time} on, unless an owner withdraws it. Every owner has been told by mail.',
    since: 'Added',
    addresses: 'Addresses',
    look: 'Show',
    address: 'Address',
    path: 'Path',
    firstTitle: 'The first five addresses',
    back: 'All wallets',
    unaudited: 'Nobody has audited the contract that its money passes.',
    addTitle: 'Add a wallet',
    addText:
      'The service never needs a private key or a seed phrase: never paste one anywhere. What is needed is public.',
    byValue: 'What the value says',
    evm: 'Ethereum and its kin',
    bitcoin: 'Bitcoin',
    value: 'Account key, descriptor or address',
    valueHint:
      'xpub..., zpub... or wpkh(...) of an account that nothing else uses; or, for the second kind, an address 0x... whose key you have.',
    add: 'Show its addresses',
    badKind: 'There is no such kind of wallet.',
    badValue: 'Paste an account key, a descriptor or an address.',
    secret:
      'This looks like {secret}. It was refused: nothing of it was stored or logged. Treat it as exposed all the same, and move the money that it controls to a new wallet.',
    taken: 'This account takes money elsewhere already. Give this shop an account of its own.',
    confirmTitle: 'Is it yours?',
    confirmText:
      'Open your own wallet, and look for one of these addresses there. Copy it from there, not from this page.',
    confirmTreasury: 'Open your own wallet, and copy its address from there, not from this page.',
    confirmHint:
      'If your wallet shows none of them, do not confirm: money would go where you do not find it.',
    confirm: 'It is mine: use it',
    otherAddress: 'This address is not one of this wallet. Nothing was changed.',
    retire: 'Stop using it',
    retireText:
      'New payments no longer go to it. Without another wallet they go to that of the service, or nobody can pay. What still comes to its addresses is seen.',
    withdraw: 'Withdraw it',
    withdrawText: 'It is not used then, and the wallet that is in use stays.',
    discardText: 'It is not used yet.',
  },
} as const;
