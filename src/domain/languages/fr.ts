import type { LanguageTexts } from './en.ts';

export const fr = {
  name: 'Français',
  direction: 'ltr',

  page: {
    paymentTo: 'Paiement à',
    pageTitle: 'Paiement à {merchant}',
    total: 'Total',
    order: 'Commande',
    language: 'Langue',

    testMark: 'TEST',
    testText: 'Ceci est un paiement de test. N’envoyez pas d’argent : il serait perdu.',
    cannotBePaid: 'Ce paiement ne peut pas être réglé pour le moment. Veuillez ne pas envoyer d’argent.',

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
    qrLabel: 'Code QR pour votre portefeuille\u00a0: {amount} {coin} sur {network}',
    priceHolds: 'Prix valable jusqu’au\u00a0: {time}. Il est ensuite recalculé.',
    payBy: 'Veuillez payer avant\u00a0: {time}.',
    timeLeft: 'encore {left}',
    mayClose: 'Vous pouvez fermer cette page\u00a0: votre paiement suit son cours.',

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
      'Déjà envoyé\u00a0? Le réseau peut mettre une minute à l’afficher. Cette page le remarque d’elle-même.',
    underpaidTitle: 'Une partie de votre paiement est arrivée',
    underpaidText:
      'Nous avons reçu {received} sur {total}. Veuillez envoyer le reste, {missing}, à la même adresse.',
    seenTitle: 'Nous avons vu votre paiement',
    seenText: '{network} va le confirmer. Vous n’avez plus rien à faire.',
    confirmingTitle: 'Confirmation\u00a0: {count} sur {required}',
    confirmingText: '{network} confirme votre paiement. Vous n’avez plus rien à faire.',
    convertingTitle: 'Confirmé, conversion en cours',
    convertingText:
      'Votre paiement est confirmé et en cours de conversion pour {merchant}. Cela prend un instant.',
    settledTitle: 'Payé. Merci\u00a0!',
    settledText: '{merchant} a reçu votre paiement de {total}.',
    expiredTitle: 'Ce paiement a expiré',
    expiredText:
      'Aucun argent n’est arrivé à temps. N’envoyez plus rien à cette adresse\u00a0; revenez à {merchant} pour payer à nouveau.',
    expiredPartlyText:
      'Seulement {received} sur {total} sont arrivés à temps. N’envoyez plus rien\u00a0; {merchant} peut vous rendre ce que vous avez payé.',
    returningTitle: 'Votre argent est arrivé trop tard',
    returningText: 'Il est arrivé après le délai et vous est renvoyé.',
    failedTitle: 'Ce paiement a échoué',
    failedText: 'Il n’a pas pu aboutir. Veuillez contacter {merchant} avant de payer à nouveau.',
    replacedTitle: 'Votre transfert a été remplacé',
    replacedText:
      'Votre portefeuille a remplacé ou annulé le transfert que nous avions vu\u00a0; il n’est jamais arrivé. Veuillez contacter {merchant} ou commander à nouveau.',
    refundedTitle: 'Votre argent a été renvoyé',
    refundedText: '{merchant} a renvoyé {refunded}.',

    overpaidNote:
      'Vous avez envoyé plus que demandé\u00a0: {received}. Veuillez contacter {merchant} au sujet de la différence.',
    overpaidRefundNote:
      'Vous avez envoyé plus que demandé\u00a0: {received}. La différence vous est renvoyée.',
    lateNote: 'Votre argent est arrivé après le délai. Il compte tout de même.',
    lateHonouredNote:
      'Déjà envoyé\u00a0? Ce qui arrive dans les 24 heures après le délai compte encore, et cette page le dira.',
    lateReturnedNote: 'Déjà envoyé\u00a0? Ce qui arrive après le délai est renvoyé.',
    reorgedNote: 'Le réseau a réécrit ses derniers blocs\u00a0; les confirmations sont recomptées.',
    replacedNote:
      'Le portefeuille a remplacé ou annulé un transfert que nous avions vu\u00a0; il n’est jamais arrivé.',
    refundedPartNote: '{refunded} vous ont été renvoyés.',

    refundTitle: 'Où faut-il renvoyer l’argent\u00a0?',
    refundText:
      'L’argent qui vous revient est envoyé en {coin} sur {network}. Copiez l’adresse depuis votre propre portefeuille\u00a0: ce qui est envoyé à une mauvaise adresse est perdu.',
    refundAddress: 'Votre adresse {network} pour {coin}',
    refundKeep: 'Enregistrer l’adresse',
    refundRefused: 'Ce n’est pas une adresse à vous sur {network}. Copiez-en une depuis votre portefeuille.',
    refundKnown: 'L’argent qui vous revient est envoyé à cette adresse {network}\u00a0:',
    refundWrong: 'Elle est fausse\u00a0? Contactez {merchant}.',
    refundClosedTitle: 'Aucune adresse ne peut être donnée maintenant',
    refundClosedText: 'Une adresse a déjà été donnée, ou aucun argent ne revient. Rien n’a été modifié.',

    simulatorTitle: 'Simulateur\u00a0: sans argent réel',
    simulatorText: 'Ceci est un paiement de test. Jouez le client et voyez ce qui se passe.',
    simulatorPay: 'Payer le montant exact',
    simulatorHalf: 'Payer la moitié',
    simulatorDouble: 'Payer le double',
    simulatorReplace: 'Remplacer le transfert',
    simulatorExpire: 'Laisser expirer',
    simulatorSent: 'Transfert simulé envoyé.',
    simulatorReplaced: 'Transfert remplacé.',
    simulatorExpired: 'L’horloge a été avancée jusqu’à l’échéance.',
    simulatorFailed: 'Cela n’a pas fonctionné. Veuillez réessayer.',
    simulatorBadTitle: 'Cela ne peut pas être simulé',
    simulatorBadText: 'Le simulateur ne connaît pas cela. Rien n’a été changé.',
    simulatorOverTitle: 'Ce n’est plus possible',
    simulatorOverText: 'Le paiement a déjà avancé. Rien n’a été changé.',
    simulatorBusyTitle: 'L’horloge est utilisée',
    simulatorBusyText:
      'Quelqu’un d’autre avance l’horloge de ce paiement. Veuillez réessayer dans un instant.',

    missingTitle: 'Page introuvable',
    missingText: 'Ce paiement n’existe pas. Veuillez vérifier le lien que le commerçant vous a donné.',
    errorTitle: 'Un instant',
    errorText: 'Le paiement ne peut pas être affiché pour le moment. Cette page réessaie d’elle-même.',
    maintenanceTitle: 'De retour bientôt',
    maintenanceText:
      'La page de paiement est en maintenance. N’envoyez pas d’argent maintenant : attendez que cette page, qui réessaie d’elle-même, affiche le paiement.',
    limitedTitle: 'Trop de requêtes',
    limitedText: 'Veuillez patienter une minute. Cette page réessaie d’elle-même.',
    badMethodTitle: 'Ce choix est impossible',
    badMethodText: 'Cette monnaie n’est pas proposée sur ce réseau. Rien n’a été changé.',
    badFormTitle: 'Impossible à lire',
    badFormText: 'Ce formulaire ne vient pas de la page. Rien n’a été modifié.',
    closedTitle: 'La monnaie ne peut plus être changée',
    closedText: 'L’argent est déjà en route ou le paiement est terminé. Rien n’a été changé.',
    toPayment: 'Revenir au paiement',
  },

  receipt: {
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
    sentAs: 'Envoyé en',
    network: 'Réseau',
    time: 'Date et heure',
    sentTo: 'Envoyé à',
    transaction: 'Transaction',
    payment: 'N° de paiement',

    toPage: 'Voir ce paiement',
    contact: 'Des questions sur votre commande\u00a0? Veuillez contacter {merchant}.',
    automatic: 'Ce message a été envoyé automatiquement\u00a0; les réponses ne sont pas lues.',
  },
} satisfies LanguageTexts;
