import type { ReceiptTexts } from './en.ts';

export const de: ReceiptTexts = {
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
  network: 'Netzwerk',
  time: 'Zeitpunkt',
  sentTo: 'Gesendet an',
  transaction: 'Transaktion',
  payment: 'Zahlungsnummer',

  toPage: 'Diese Zahlung ansehen',
  contact: 'Fragen zu Ihrer Bestellung? Bitte wenden Sie sich an {merchant}.',
  automatic: 'Diese Nachricht wurde automatisch versendet; Antworten darauf werden nicht gelesen.',
};
