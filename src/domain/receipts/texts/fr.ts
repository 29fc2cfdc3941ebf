import type { ReceiptTexts } from './en.ts';

export const fr: ReceiptTexts = {
  paidSubject: 'Reçu de {merchant}\u00a0: commande {order}',
  refundedSubject: 'Remboursement de {merchant}\u00a0: commande {order}',
  partSubject: 'Remboursement partiel de {merchant}\u00a0: commande {order}',
  testMark: 'TEST',
  testText: 'Ceci est un test. Aucun argent réel n’a été déplacé.',

  paidTitle: 'Payé. Merci\u00a0!',
  paidText: '{merchant} a reçu votre paiement de {amount}.',
  refundedTitle: 'Votre argent a été renvoyé',
  partTitle: 'Une partie de votre argent a été renvoyée',
  refundedText: '{merchant} a renvoyé {amount}.',

  order: 'Commande',
  description: 'Description',
  total: 'Total',
  paid: 'Payé',
  sentBack: 'Renvoyé',
  sentBackSoFar: 'Renvoyé jusqu’ici',
  network: 'Réseau',
  time: 'Date et heure',
  sentTo: 'Envoyé à',
  transaction: 'Transaction',
  payment: 'N° de paiement',

  toPage: 'Voir ce paiement',
  contact: 'Des questions sur votre commande\u00a0? Veuillez contacter {merchant}.',
  automatic: 'Ce message a été envoyé automatiquement\u00a0; les réponses ne sont pas lues.',
};
