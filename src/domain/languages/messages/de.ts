export const messages = {
  copyFailed: 'Dieser Browser kopiert nicht. Es ist jetzt markiert: Kopieren Sie es über das Menü.',
  otherWallet: 'Andere Wallet',
  copyCode: 'Code kopieren',
  nothingOpens:
    'Nichts geöffnet? Auf diesem Gerät antwortet keine Wallet. Scannen Sie den Code, oder kopieren Sie Betrag und Adresse.',
  sentTitle: 'Gesendet. Wir warten auf das Netzwerk',
  sentText:
    'Ihre Wallet hat Ihre Zahlung gesendet. Diese Seite zeigt sie, sobald {network} sie zeigt. Bitte senden Sie nicht noch einmal: Betrag, Adresse und Code sind ausgeblendet.',
  unsent: 'Nicht gesendet? Wieder anzeigen',
  underpaidMore:
    'Senden Sie bis {time} noch {missing} an dieselbe Adresse: Dann ist Ihre Zahlung vollständig.',
  underpaidBack:
    'Oder senden Sie nichts mehr: Wenn diese Zahlung beendet ist, kann {merchant} {back} zurücksenden.',
  offline:
    'Sie sind offline. Die Seite macht weiter, sobald Sie wieder verbunden sind; eine gesendete Zahlung geht nicht verloren.',
  findTitle: 'Schon gesendet? Transaktions-ID einfügen',
  findLabel: 'Transaktions-ID oder ein Link darauf',
  findButton: 'Nachsehen',
  findBad:
    'Das ist keine Transaktions-ID von {network}. Kopieren Sie sie aus Ihrer Wallet oder Börse; dort heißt sie auch Hash oder TxID.',
  findUnknown:
    '{network} kennt diese Transaktion nicht. Wenn Sie sie eben gesendet haben, versuchen Sie es in einer Minute wieder; sonst prüfen Sie, ob sie über {network} gesendet wurde.',
  findElsewhere:
    '{network} kennt diese Transaktion, aber sie zahlt an eine andere Adresse. Bitte vergleichen Sie die Adresse in Ihrer Wallet mit der auf dieser Seite.',
  findDropped:
    'Diese Transaktion wurde von ihrer Wallet ersetzt oder abgebrochen; das Geld ist nie angekommen.',
  findSeen: '{network} hat diese Transaktion, und sie zahlt an diese Adresse. Die Seite zeigt sie gleich an.',
  findCounted: 'Diese Transaktion haben wir: Sie zählt für diese Zahlung.',
  findUnable:
    'Wir können {network} gerade nicht fragen. Es geht nichts verloren: Die Seite zeigt die Zahlung, sobald wir sie sehen.',
  findUnseen:
    'Wir haben {network} bis jetzt gelesen, und diese Transaktion hat nicht an diese Adresse gezahlt. Wenn Sie gerade erst gesendet haben, erscheint sie hier von selbst; sonst vergleichen Sie bitte die Adresse in Ihrer Wallet mit der auf dieser Seite.',
  phoneTitle: 'Auf dem Telefon weitermachen',
  phoneText: 'Scannen Sie dies mit der Kamera: Es öffnet diese Seite dort.',
  refundTitle: 'Wohin soll Geld zurückgehen?',
  refundText:
    'Geld, das an Sie zurückgeht, wird als {coin} auf {network} gesendet. Bitte kopieren Sie die Adresse aus Ihrer eigenen Wallet: Was an eine falsche gesendet wird, ist verloren.',
  refundAddress: 'Ihre {network}-Adresse für {coin}',
  refundNext: 'Weiter',
  refundCheck: 'Ist das richtig?',
  refundAmount: 'Geht zurück',
  refundForGood:
    'Bitte vergleichen Sie sie Zeichen für Zeichen mit Ihrer Wallet. Gespeichert kann sie hier nicht mehr geändert werden, und was an eine falsche Adresse gesendet wird, ist verloren.',
  refundKeep: 'Ja, diese Adresse speichern',
  refundChange: 'Ändern',
  refundRefused: 'Das ist keine eigene Adresse auf {network}. Bitte kopieren Sie eine aus Ihrer Wallet.',
  refundKnown: 'Geld, das an Sie zurückgeht, wird an diese {network}-Adresse gesendet:',
  refundWrong: 'Ist sie falsch? Bitte wenden Sie sich an {merchant}.',
  refundClosedTitle: 'Jetzt kann keine Adresse angegeben werden',
  refundClosedText: 'Es wurde schon eine angegeben, oder es geht kein Geld zurück. Es wurde nichts geändert.',
  linkAmount: 'Betrag in {currency}',
  linkBounds: 'Von {min} bis {max}',
  linkOptional: '{label} (freiwillig)',
  linkPay: '{amount} bezahlen',
  linkLeft: 'Noch verfügbar: {count}',
  linkBad:
    'Bitte prüfen Sie Ihre Eingaben: Eine Angabe fehlt oder ist zu lang, oder der Betrag liegt außerhalb der Grenzen.',
  linkLater:
    'Das kann gerade nicht bezahlt werden, und nichts wurde gekauft. Bitte versuchen Sie es gleich noch einmal.',
  linkSoldTitle: 'Ausverkauft',
  linkSoldText:
    'Das letzte Stück ist vergeben. Sollte diese Zahlung nicht zustande kommen, ist es wieder verfügbar: Versuchen Sie es später noch einmal.',
  linkOverTitle: 'Hier kann nicht mehr bezahlt werden',
  linkOverText:
    'Dieser Link ist abgelaufen oder wurde geschlossen. Bitte fragen Sie den Shop nach einem neuen.',
  linkPausedTitle: 'Hier kann zurzeit nicht bezahlt werden',
  linkPausedText: 'Der Shop hat diesen Link angehalten. Bitte versuchen Sie es später noch einmal.',
  linkThanks: 'Vielen Dank!',
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
  missingText: 'Diese Zahlung gibt es nicht. Bitte prüfen Sie den Link, den Sie vom Händler bekommen haben.',
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
  tooLongTitle: 'Das war zu lang',
  tooLongText:
    'Dieses Formular ist länger, als die Seite annimmt. Es wurde nichts geändert. Gehen Sie zurück und kürzen Sie es.',
  closedTitle: 'Die Währung kann nicht mehr geändert werden',
  closedText: 'Geld ist schon unterwegs, oder die Zahlung ist beendet. Es wurde nichts geändert.',
  refundAskedTitle: 'Ihre Rückzahlung wartet auf eine Adresse',
  refundAskedText:
    '{amount} geht auf {network} an Sie zurück. Geben Sie eine Adresse Ihrer eigenen Wallet an.',
  refundAwaitedTitle: 'Ihre Rückzahlung wird vorbereitet',
  refundAwaitedText: '{merchant} sendet {amount} auf {network} an die Adresse unten.',
  refundSentTitle: 'Ihre Rückzahlung ist unterwegs',
  refundSentText:
    '{amount} wird auf {network} gesendet, mit der Transaktion unten. Sie gilt, sobald das Netzwerk sie bestätigt hat.',
  refundHeldTitle: 'Ihre Rückzahlung wird geprüft',
  refundHeldText: '{merchant} prüft eine Überweisung von {amount} auf {network}. Sie müssen nichts tun.',
  refundedAmount: 'Zurückgesendet',
  refundedAt: 'Zurückgesendet am',
  refundedTo: 'An die Adresse',
  overTitle: 'Die Zeit zum Bezahlen ist um',
  overText:
    'Bitte senden Sie jetzt nichts. Was rechtzeitig gesendet wurde, zählt noch: Diese Seite zeigt es, sobald das Netzwerk es zeigt.',
  again: 'Um neu zu bezahlen, bestellen Sie noch einmal bei {merchant}.',
  done: 'Sie können diese Seite schließen.',
  sentLostNote:
    'Die Transaktion Ihrer Wallet wurde ersetzt, abgebrochen oder abgelehnt und hat hier nichts bezahlt. Bitte bezahlen Sie noch einmal.',
  mailLabel: 'Beleg per E-Mail an',
  mailHint: 'Das geht einmal. {merchant} sieht sie ebenfalls.',
  mailButton: 'Senden',
  mailBad: 'Das ist keine E-Mail-Adresse. Bitte prüfen Sie sie.',
  mailDone: 'Ihr Beleg geht dorthin.',
  mailClosedTitle: 'Jetzt kann keine E-Mail-Adresse angegeben werden',
  mailClosedText:
    'Es wurde schon eine angegeben, oder es gibt keinen Beleg zu senden. Es wurde nichts geändert.',
  print: 'Drucken oder sichern',
  nowhereText: 'Unter dieser Adresse gibt es nichts. Bitte prüfen Sie den Link.',
  toPayment: 'Zurück zur Zahlung',
};

export const wallet = {
  pay: 'Mit der Wallet in diesem Browser zahlen',
  payWith: 'Mit {wallet} zahlen',
  asking: 'In der Wallet bestätigen',
  sent: 'Gesendet. Diese Seite zeigt es, sobald das Netzwerk es zeigt.',
  rejected: 'In der Wallet abgebrochen. Es wurde nichts gesendet.',
  pending:
    'Die Wallet hat schon eine offene Anfrage. Beantworten Sie diese dort, und versuchen Sie es dann hier noch einmal.',
  funds:
    'In der Wallet ist zu wenig für diesen Betrag und die Gebühr des Netzwerks. Es wurde nichts gesendet.',
  chain:
    'Die Wallet wechselt nicht zu {network}. Es wurde nichts gesendet: Fügen Sie das Netzwerk dort hinzu, oder scannen Sie den Code.',
  failed: 'Die Wallet hat dies nicht bestätigt. Bitte sehen Sie dort nach, bevor Sie erneut senden.',
  unsure:
    'Die Wallet hat nicht gesagt, ob sie dies gesendet hat. Bitte sehen Sie zuerst dort nach: Nur wenn nichts gesendet wurde, laden Sie diese Seite neu, um zu zahlen.',
};

export const mails = {
  incompleteSubject: 'Ein Teil Ihrer Zahlung an {merchant} fehlt: Bestellung {order}',
  incompleteTitle: 'Ein Teil Ihrer Zahlung fehlt',
  incompleteText: 'Wir haben {amount} von {total} für Ihre Bestellung bei {merchant}.',
  givenContact: 'Waren das nicht Sie? Dann wenden Sie sich sofort an {merchant}.',
};
