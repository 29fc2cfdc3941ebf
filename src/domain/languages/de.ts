import type { LanguageTexts } from './en.ts';
import { mails, messages, wallet } from './messages/de.ts';

export const de = {
  name: 'Deutsch',
  direction: 'ltr',

  page: {
    ...messages,
    paymentTo: 'Zahlung an',
    pageTitle: 'Zahlung an {merchant}',
    total: 'Gesamtbetrag',
    about: 'etwa',
    order: 'Bestellung',
    language: 'Sprache',
    stopReloading: 'Seite nicht mehr neu laden',
    reload: 'Seite neu laden',

    testMark: 'TEST',
    testText: 'Dies ist eine Testzahlung. Senden Sie kein Geld: Es wäre verloren.',
    cannotBePaid: 'Diese Zahlung kann im Moment nicht bezahlt werden. Bitte senden Sie kein Geld.',

    chooseFirst: 'Wählen Sie, womit Sie zahlen',
    payWith: 'Bezahlen mit',
    method: '{coin} über {network}',
    change: 'Ändern',
    coin: 'Währung',
    network: 'Netzwerk',
    networkHint: '{time}, {fee}',
    feeLow: 'Gebühr unter einem Cent',
    feeMedium: 'mittlere Gebühr',
    feeHigh: 'höhere Gebühr',
    sendExactly: 'Genau diesen Betrag senden',
    sendTheRest: 'Noch zu senden',
    address: '{network}-Adresse',
    networkWarning: 'Senden Sie nur {coin} über {network}. Geld aus einem anderen Netzwerk geht verloren.',
    walletFee: 'Ihre Wallet rechnet ihre Gebühr hinzu.',
    payingFrom: 'Von wo Sie zahlen',
    fromWallet: 'Aus einer Wallet',
    fromExchange: 'Von einer Börse',
    exchangeFee:
      'Genau {amount} müssen ankommen. Börsen ziehen ihre Gebühr von dem ab, was Sie senden: Wählen Sie einen Betrag, von dem so viel übrig bleibt.',
    exchangeNetwork: 'Wählen Sie dort das Netzwerk {network}. Ein Memo oder Tag ist nicht nötig.',
    exchangeDelay: 'Eine Börse braucht oft 5 bis 30 Minuten, bis sie sendet.',
    copyAmount: 'Betrag kopieren',
    copyAddress: 'Adresse kopieren',
    copied: 'Kopiert',
    openWallet: 'In der Wallet öffnen',
    showCode: 'Code anzeigen',
    codeHolds: 'Inhalt des Codes',
    codeAddress: 'Nur Adresse',
    codeAmount: 'Adresse und Betrag',
    qrAddress: 'QR-Code der {network}-Adresse, ohne Betrag',
    qrLabel: 'QR-Code für Ihre Wallet: {amount} {coin} über {network}',
    priceHolds: 'Dieser Preis gilt noch {left}, bis {time}.',
    priceOver: 'Dieser Preis ist abgelaufen. Bitte warten Sie einen Moment: Gleich steht hier ein neuer.',
    repriced: 'Neuer Preis: {amount} statt {before}.',
    repricedSent:
      'Schon {before} gesendet? Senden Sie nicht noch einmal: Rechtzeitig zählt es voll, später zum Kurs des Augenblicks, und diese Seite sagt, ob etwas fehlt.',
    payBy: 'Bitte zahlen Sie bis {time}.',
    payWithin: 'Zahlen Sie in {left}, bis {time}.',
    mayClose: 'Sie können diese Seite schließen: Ihre Zahlung läuft weiter.',

    cancel: 'Abbrechen und zurück zu {merchant}',
    back: 'Zurück zu {merchant}',
    newPayment: 'Bei {merchant} neu bezahlen',
    contact: '{merchant} kontaktieren',
    goingBack: 'Sie werden in 20 Sekunden zu {merchant} zurückgeleitet.',
    stay: 'Auf dieser Seite bleiben',

    progress: 'Fortschritt',
    barLabel: 'Bestätigungen',
    barText: 'Noch etwa {left}',
    proof: 'Ihre Zahlung',
    sent: 'Gesendet',
    seenAt: 'Eingegangen',
    paidAt: 'Bezahlt',
    transaction: 'Transaktion',
    receipt: 'Beleg',
    receiptTo: 'geht an {mail}',

    waitingTitle: 'Wir warten auf Ihre Zahlung',
    waitingText:
      'Schon gesendet? Es kann eine Minute dauern, bis das Netzwerk sie zeigt. Diese Seite bemerkt es von selbst.',
    underpaidTitle: 'Ein Teil Ihrer Zahlung ist da',
    underpaidText: 'Wir haben {received} von {total} erhalten.',
    seenTitle: 'Wir haben Ihre Zahlung gesehen',
    seenText: '{network} bestätigt sie in Kürze. Sie müssen nichts weiter tun.',
    confirmingTitle: 'Bestätigung: {count} von {required}',
    confirmingText: '{network} bestätigt Ihre Zahlung. Sie müssen nichts weiter tun.',
    convertingTitle: 'Bestätigt, wird umgetauscht',
    convertingText:
      'Ihre Zahlung ist bestätigt und wird für {merchant} umgetauscht. Das dauert einen Augenblick.',
    settledTitle: 'Bezahlt. Vielen Dank!',
    settledText: '{merchant} hat Ihre Zahlung über {total}.',
    cancelledTitle: 'Diese Zahlung wurde storniert',
    cancelledText:
      '{merchant} hat diese Zahlung storniert. Senden Sie nichts mehr; was Sie gesendet haben, kann zurückgezahlt werden.',
    expiredTitle: 'Diese Zahlung ist abgelaufen',
    expiredText:
      'Es ist kein Geld rechtzeitig eingegangen. Bitte senden Sie jetzt keines mehr an diese Adresse; gehen Sie zurück zu {merchant}, um neu zu bezahlen.',
    expiredPartlyText:
      'Nur {received} von {total} sind rechtzeitig eingegangen. Bitte senden Sie jetzt nichts mehr; {merchant} kann Ihnen das Gezahlte zurücksenden.',
    returningTitle: 'Ihr Geld kam zu spät',
    returningText: 'Es kam nach Ablauf der Frist und wird an Sie zurückgesendet.',
    failedTitle: 'Diese Zahlung ist fehlgeschlagen',
    failedText: 'Sie konnte nicht abgeschlossen werden. {merchant} kann zurücksenden, was Sie bezahlt haben.',
    replacedTitle: 'Ihre Überweisung wurde ersetzt',
    replacedText:
      'Ihre Wallet hat die Überweisung, die wir gesehen hatten, ersetzt oder abgebrochen; sie kam nie an. Bitte bestellen Sie neu.',
    refundedTitle: 'Ihr Geld wurde zurückgesendet',
    refundedText: '{merchant} hat {refunded} zurückgesendet.',

    overpaidNote:
      'Es ist bezahlt. Sie haben mehr gesendet als verlangt: {received}. {merchant} kann die Differenz zurücksenden.',
    overpaidRefundNote:
      'Sie haben mehr als verlangt gesendet: {received}. Die Differenz wird zurückgesendet.',
    lateNote: 'Ihr Geld kam nach Ablauf der Frist. Es zählt trotzdem.',
    lateHonouredNote:
      'Schon gesendet? Was innerhalb von 24 Stunden nach der Frist eingeht, zählt noch, und diese Seite zeigt es an.',
    lateReturnedNote: 'Schon gesendet? Was nach der Frist eingeht, wird zurückgesendet.',
    reorgedNote:
      'Das Netzwerk hat seine neuesten Blöcke neu geschrieben; die Bestätigungen werden neu gezählt.',
    replacedNote:
      'Eine Überweisung, die wir gesehen hatten, wurde von der Wallet ersetzt oder abgebrochen; sie kam nie an.',
    refundedPartNote: 'Davon wurden {refunded} an Sie zurückgesendet.',
  },

  wallet,

  receipt: {
    ...mails,
    paidSubject: 'Quittung von {merchant}: Bestellung {order}',
    refundedSubject: 'Rückzahlung von {merchant}: Bestellung {order}',
    partSubject: 'Teilrückzahlung von {merchant}: Bestellung {order}',
    testMark: 'TEST',
    testText: 'Dies ist ein Test. Es wurde kein echtes Geld bewegt.',

    paidTitle: 'Bezahlt. Vielen Dank!',
    paidText: '{merchant} hat Ihre Zahlung über {amount}.',
    refundedTitle: 'Ihr Geld wurde zurückgesendet',
    partTitle: 'Ein Teil Ihres Geldes wurde zurückgesendet',
    refundedText: '{merchant} hat {amount} zurückgesendet.',

    tooLittleSubject: 'Ihre Zahlung an {merchant} war nicht vollständig: Bestellung {order}',
    tooLateSubject: 'Ihre Zahlung an {merchant} kam zu spät: Bestellung {order}',
    tooLittleTitle: 'Ihre Zahlung war nicht vollständig',
    tooLateTitle: 'Ihr Geld kam zu spät',
    tooLittleText:
      'Nur {amount} von {total} sind rechtzeitig eingegangen, daher ist Ihre Bestellung bei {merchant} nicht bezahlt.',
    tooLateText:
      '{amount} kamen an, als diese Zahlung schon beendet war. Ihre Bestellung bei {merchant} ist damit nicht bezahlt.',
    sendNoMore: 'Bitte senden Sie nichts mehr an diese Adresse.',
    givenSubject: 'Ihre Adresse für Rückzahlungen von {merchant}: Bestellung {order}',
    givenTitle: 'Eine Adresse für Rückzahlungen wurde gespeichert',
    givenText:
      'Geld, das {merchant} Ihnen zurücksendet, geht an die Adresse unten, die auf der Seite Ihrer Zahlung eingegeben wurde.',
    askedSubject: 'Ihre Rückzahlung von {merchant} braucht eine Adresse: Bestellung {order}',
    askedTitle: 'Ihre Rückzahlung wartet auf eine Adresse',
    askedText: '{merchant} sendet Ihnen {amount} zurück.',
    keptText: '{merchant} kann es Ihnen zurücksenden.',
    returnedText: 'Es wird Ihnen zurückgesendet.',
    addressText:
      'Um Ihr Geld zurückzubekommen, öffnen Sie diese Zahlung und geben Sie eine Adresse Ihrer eigenen Wallet an. Vorher kann es nicht zurückgesendet werden.',

    order: 'Bestellung',
    description: 'Beschreibung',
    price: 'Preis',
    total: 'Gesamtbetrag',
    paid: 'Bezahlt',
    received: 'Eingegangen',
    goesBack: 'Geht zurück',
    goesBackTo: 'Geht zurück an',
    sentBack: 'Zurückgesendet',
    sentBackSoFar: 'Bisher zurückgesendet',
    sentAs: 'Gesendet als',
    network: 'Netzwerk',
    time: 'Zeitpunkt',
    sentTo: 'Gesendet an',
    transaction: 'Transaktion',
    payment: 'Zahlungsnummer',

    toPage: 'Diese Zahlung ansehen',
    toAddress: 'Adresse angeben',
    contact: 'Fragen zu Ihrer Bestellung? Bitte wenden Sie sich an {merchant}.',
    automatic: 'Diese Nachricht wurde automatisch versendet; Antworten darauf werden nicht gelesen.',
    answers: 'Diese Nachricht wurde automatisch versendet; Antworten darauf gehen an {merchant}.',
  },
} satisfies LanguageTexts;
