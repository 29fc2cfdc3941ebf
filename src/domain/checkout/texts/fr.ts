import type { Texts } from './en.ts';

export const fr: Texts = {
  paymentTo: 'Paiement à',
  pageTitle: 'Paiement à {merchant}',
  total: 'Total',
  order: 'Commande',
  language: 'Langue',

  payWith: 'Payer avec',
  coin: 'Monnaie',
  network: 'Réseau',
  sendExactly: 'Envoyez exactement',
  sendTheRest: 'Reste à envoyer',
  coinOnNetwork: '{coin} sur le réseau {network}',
  address: 'Adresse {network}',
  networkWarning: 'N’envoyez que {coin} sur {network}. L’argent envoyé sur un autre réseau est perdu.',
  copyAmount: 'Copier le montant',
  copyAddress: 'Copier l’adresse',
  copied: 'Copié',
  openWallet: 'Ouvrir dans le portefeuille',
  qrLabel: 'Code QR pour votre portefeuille : {amount} {coin} sur {network}',
  priceHolds: 'Prix valable jusqu’au : {time}. Il est ensuite recalculé.',
  payBy: 'Veuillez payer avant : {time}.',
  timeLeft: 'encore {left}',
  mayClose: 'Vous pouvez fermer cette page : votre paiement suit son cours.',

  cancel: 'Annuler et revenir à {merchant}',
  back: 'Revenir à {merchant}',
  goingBack: 'Vous allez revenir à {merchant} dans quelques secondes.',
  stay: 'Rester sur cette page',

  progress: 'Progression',
  stepSeen: 'Vu',
  stepConfirmed: 'Confirmé',
  stepConverted: 'Converti',
  stepSettled: 'Payé',

  waitingTitle: 'En attente de votre paiement',
  waitingText:
    'Déjà envoyé ? Le réseau peut mettre une minute à l’afficher. Cette page le remarque d’elle-même.',
  underpaidTitle: 'Une partie de votre paiement est arrivée',
  underpaidText:
    'Nous avons reçu {received} sur {total}. Veuillez envoyer le reste, {missing}, à la même adresse.',
  seenTitle: 'Nous avons vu votre paiement',
  seenText: '{network} va le confirmer. Vous n’avez plus rien à faire.',
  confirmingTitle: 'Confirmation : {count} sur {required}',
  confirmingText: '{network} confirme votre paiement. Vous n’avez plus rien à faire.',
  convertingTitle: 'Confirmé, conversion en cours',
  convertingText:
    'Votre paiement est confirmé et en cours de conversion pour {merchant}. Cela prend un instant.',
  settledTitle: 'Payé. Merci !',
  settledText: '{merchant} a reçu votre paiement de {total}.',
  expiredTitle: 'Ce paiement a expiré',
  expiredText:
    'Aucun argent n’est arrivé à temps. N’envoyez plus rien à cette adresse ; revenez à {merchant} pour payer à nouveau.',
  expiredPartlyText:
    'Seulement {received} sur {total} sont arrivés à temps. N’envoyez plus rien ; {merchant} peut vous rendre ce que vous avez payé.',
  returningTitle: 'Votre argent est arrivé trop tard',
  returningText: 'Il est arrivé après le délai et vous est renvoyé.',
  failedTitle: 'Ce paiement a échoué',
  failedText: 'Il n’a pas pu aboutir. Veuillez contacter {merchant} avant de payer à nouveau.',
  replacedTitle: 'Votre transfert a été remplacé',
  replacedText:
    'Votre portefeuille a remplacé ou annulé le transfert que nous avions vu ; il n’est jamais arrivé. Veuillez contacter {merchant} ou commander à nouveau.',
  refundedTitle: 'Votre argent a été renvoyé',
  refundedText: '{merchant} a renvoyé {refunded}.',

  overpaidNote:
    'Vous avez envoyé plus que demandé : {received}. Veuillez contacter {merchant} au sujet de la différence.',
  overpaidRefundNote: 'Vous avez envoyé plus que demandé : {received}. La différence vous est renvoyée.',
  lateNote: 'Votre argent est arrivé après le délai. Il compte tout de même.',
  lateHonouredNote:
    'Déjà envoyé ? Ce qui arrive dans les 24 heures après le délai compte encore, et cette page le dira.',
  lateReturnedNote: 'Déjà envoyé ? Ce qui arrive après le délai est renvoyé.',
  reorgedNote: 'Le réseau a réécrit ses derniers blocs ; les confirmations sont recomptées.',
  refundedPartNote: '{refunded} vous ont été renvoyés.',

  refundTitle: 'Où faut-il renvoyer l’argent ?',
  refundText:
    'L’argent qui vous revient est envoyé en {coin} sur {network}. Copiez l’adresse depuis votre propre portefeuille : ce qui est envoyé à une mauvaise adresse est perdu.',
  refundAddress: 'Votre adresse {network} pour {coin}',
  refundKeep: 'Enregistrer l’adresse',
  refundRefused: 'Ce n’est pas une adresse à vous sur {network}. Copiez-en une depuis votre portefeuille.',
  refundKnown: 'L’argent qui vous revient est envoyé à cette adresse {network} :',
  refundWrong: 'Elle est fausse ? Contactez {merchant}.',
  refundClosedTitle: 'Aucune adresse ne peut être donnée maintenant',
  refundClosedText: 'Une adresse a déjà été donnée, ou aucun argent ne revient. Rien n’a été modifié.',

  missingTitle: 'Page introuvable',
  missingText: 'Ce paiement n’existe pas. Veuillez vérifier le lien que le commerçant vous a donné.',
  errorTitle: 'Un instant',
  errorText: 'Le paiement ne peut pas être affiché pour le moment. Cette page réessaie d’elle-même.',
  limitedTitle: 'Trop de requêtes',
  limitedText: 'Veuillez patienter une minute. Cette page réessaie d’elle-même.',
  badChoiceTitle: 'Ce choix est impossible',
  badChoiceText: 'Cette monnaie n’est pas proposée sur ce réseau. Rien n’a été changé.',
  closedTitle: 'La monnaie ne peut plus être changée',
  closedText: 'L’argent est déjà en route ou le paiement est terminé. Rien n’a été changé.',
  toPayment: 'Revenir au paiement',
};
