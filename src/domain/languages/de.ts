import type { LanguageTexts } from './en.ts';

export const de = {
  name: 'Deutsch',
  direction: 'ltr',

  page: {
    paymentTo: 'Zahlung an',
    pageTitle: 'Zahlung an {merchant}',
    total: 'Gesamtbetrag',
    order: 'Bestellung',
    language: 'Sprache',

    testMark: 'TEST',
    testText: 'Dies ist eine Testzahlung. Senden Sie kein Geld: Es wäre verloren.',
    cannotBePaid: 'Diese Zahlung kann im Moment nicht bezahlt werden. Bitte senden Sie kein Geld.',

    payWith: 'Bezahlen mit',
    coin: 'Währung',
    network: 'Netzwerk',
    sendExactly: 'Genau diesen Betrag senden',
    sendTheRest: 'Noch zu senden',
    coinOnNetwork: '{coin} im Netzwerk {network}',
    address: '{network}-Adresse',
    networkWarning: 'Senden Sie nur {coin} über {network}. Geld aus einem anderen Netzwerk geht verloren.',
    copyAmount: 'Betrag kopieren',
    copyAddress: 'Adresse kopieren',
    copied: 'Kopiert',
    openWallet: 'In der Wallet öffnen',
    qrLabel: 'QR-Code für Ihre Wallet: {amount} {coin} über {network}',
    priceHolds: 'Dieser Preis gilt bis {time} und wird dann neu berechnet.',
    payBy: 'Bitte zahlen Sie bis {time}.',
    timeLeft: 'noch {left}',
    mayClose: 'Sie können diese Seite schließen: Ihre Zahlung läuft weiter.',

    cancel: 'Abbrechen und zurück zu {merchant}',
    back: 'Zurück zu {merchant}',
    goingBack: 'Sie werden in wenigen Sekunden zu {merchant} zurückgeleitet.',
    stay: 'Auf dieser Seite bleiben',

    progress: 'Fortschritt',
    stepSeen: 'Gesehen',
    stepConfirmed: 'Bestätigt',
    stepConverted: 'Umgetauscht',
    stepSettled: 'Bezahlt',

    waitingTitle: 'Wir warten auf Ihre Zahlung',
    waitingText:
      'Schon gesendet? Es kann eine Minute dauern, bis das Netzwerk sie zeigt. Diese Seite bemerkt es von selbst.',
    underpaidTitle: 'Ein Teil Ihrer Zahlung ist da',
    underpaidText:
      'Wir haben {received} von {total} erhalten. Bitte senden Sie den Rest, {missing}, an dieselbe Adresse.',
    seenTitle: 'Wir haben Ihre Zahlung gesehen',
    seenText: '{network} bestätigt sie in Kürze. Sie müssen nichts weiter tun.',
    confirmingTitle: 'Bestätigung: {count} von {required}',
    confirmingText: '{network} bestätigt Ihre Zahlung. Sie müssen nichts weiter tun.',
    convertingTitle: 'Bestätigt, wird umgetauscht',
    convertingText:
      'Ihre Zahlung ist bestätigt und wird für {merchant} umgetauscht. Das dauert einen Augenblick.',
    settledTitle: 'Bezahlt. Vielen Dank!',
    settledText: '{merchant} hat Ihre Zahlung über {total}.',
    expiredTitle: 'Diese Zahlung ist abgelaufen',
    expiredText:
      'Es ist kein Geld rechtzeitig eingegangen. Bitte senden Sie jetzt keines mehr an diese Adresse; gehen Sie zurück zu {merchant}, um neu zu bezahlen.',
    expiredPartlyText:
      'Nur {received} von {total} sind rechtzeitig eingegangen. Bitte senden Sie jetzt nichts mehr; {merchant} kann Ihnen das Gezahlte zurücksenden.',
    returningTitle: 'Ihr Geld kam zu spät',
    returningText: 'Es kam nach Ablauf der Frist und wird an Sie zurückgesendet.',
    failedTitle: 'Diese Zahlung ist fehlgeschlagen',
    failedText:
      'Sie konnte nicht abgeschlossen werden. Bitte wenden Sie sich an {merchant}, bevor Sie noch einmal zahlen.',
    replacedTitle: 'Ihre Überweisung wurde ersetzt',
    replacedText:
      'Ihre Wallet hat die Überweisung, die wir gesehen hatten, ersetzt oder abgebrochen; sie kam nie an. Bitte wenden Sie sich an {merchant} oder bestellen Sie neu.',
    refundedTitle: 'Ihr Geld wurde zurückgesendet',
    refundedText: '{merchant} hat {refunded} zurückgesendet.',

    overpaidNote:
      'Sie haben mehr als verlangt gesendet: {received}. Bitte wenden Sie sich wegen der Differenz an {merchant}.',
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

    refundTitle: 'Wohin soll Geld zurückgehen?',
    refundText:
      'Geld, das an Sie zurückgeht, wird als {coin} auf {network} gesendet. Bitte kopieren Sie die Adresse aus Ihrer eigenen Wallet: Was an eine falsche gesendet wird, ist verloren.',
    refundAddress: 'Ihre {network}-Adresse für {coin}',
    refundKeep: 'Adresse speichern',
    refundRefused: 'Das ist keine eigene Adresse auf {network}. Bitte kopieren Sie eine aus Ihrer Wallet.',
    refundKnown: 'Geld, das an Sie zurückgeht, wird an diese {network}-Adresse gesendet:',
    refundWrong: 'Ist sie falsch? Bitte wenden Sie sich an {merchant}.',
    refundClosedTitle: 'Jetzt kann keine Adresse angegeben werden',
    refundClosedText:
      'Es wurde schon eine angegeben, oder es geht kein Geld zurück. Es wurde nichts geändert.',

    simulatorTitle: 'Simulator: kein echtes Geld',
    simulatorText: 'Dies ist eine Testzahlung. Spielen Sie den Kunden und sehen Sie, was geschieht.',
    simulatorPay: 'Genau bezahlen',
    simulatorHalf: 'Die Hälfte zahlen',
    simulatorDouble: 'Das Doppelte zahlen',
    simulatorReplace: 'Überweisung ersetzen',
    simulatorExpire: 'Ablaufen lassen',
    simulatorSent: 'Simulierte Überweisung gesendet.',
    simulatorReplaced: 'Überweisung ersetzt.',
    simulatorExpired: 'Die Uhr wurde bis zum Ende der Frist vorgestellt.',
    simulatorFailed: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
    simulatorBadTitle: 'Das lässt sich nicht simulieren',
    simulatorBadText: 'Der Simulator kennt das nicht. Es wurde nichts geändert.',
    simulatorOverTitle: 'Das ist nicht mehr möglich',
    simulatorOverText: 'Die Zahlung ist schon weiter. Es wurde nichts geändert.',
    simulatorBusyTitle: 'Die Uhr wird gerade benutzt',
    simulatorBusyText:
      'Jemand anderes verstellt gerade die Uhr dieser Zahlung. Bitte versuchen Sie es gleich noch einmal.',

    missingTitle: 'Seite nicht gefunden',
    missingText:
      'Diese Zahlung gibt es nicht. Bitte prüfen Sie den Link, den Sie vom Händler bekommen haben.',
    errorTitle: 'Einen Augenblick',
    errorText:
      'Die Zahlung kann gerade nicht angezeigt werden. Diese Seite versucht es von selbst noch einmal.',
    maintenanceTitle: 'Gleich wieder da',
    maintenanceText:
      'Die Zahlungsseite wird gerade gewartet. Bitte senden Sie jetzt kein Geld, sondern warten Sie, bis diese Seite, die es von selbst noch einmal versucht, die Zahlung zeigt.',
    limitedTitle: 'Zu viele Anfragen',
    limitedText: 'Bitte warten Sie eine Minute. Diese Seite versucht es von selbst noch einmal.',
    badMethodTitle: 'Das ist nicht möglich',
    badMethodText: 'Diese Währung wird in diesem Netzwerk nicht angeboten. Es wurde nichts geändert.',
    badFormTitle: 'Das war nicht zu lesen',
    badFormText: 'Dieses Formular stammt nicht von der Seite. Es wurde nichts geändert.',
    closedTitle: 'Die Währung kann nicht mehr geändert werden',
    closedText: 'Geld ist schon unterwegs, oder die Zahlung ist beendet. Es wurde nichts geändert.',
    toPayment: 'Zurück zur Zahlung',
  },

  receipt: {
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

    order: 'Bestellung',
    description: 'Beschreibung',
    total: 'Gesamtbetrag',
    paid: 'Bezahlt',
    sentBack: 'Zurückgesendet',
    sentBackSoFar: 'Bisher zurückgesendet',
    sentAs: 'Gesendet als',
    network: 'Netzwerk',
    time: 'Zeitpunkt',
    sentTo: 'Gesendet an',
    transaction: 'Transaktion',
    payment: 'Zahlungsnummer',

    toPage: 'Diese Zahlung ansehen',
    contact: 'Fragen zu Ihrer Bestellung? Bitte wenden Sie sich an {merchant}.',
    automatic: 'Diese Nachricht wurde automatisch versendet; Antworten darauf werden nicht gelesen.',
  },
} satisfies LanguageTexts;
