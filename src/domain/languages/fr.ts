import type { LanguageTexts } from './en.ts';
import { mails, messages, wallet } from './messages/fr.ts';

export const fr = {
  name: 'Français',
  direction: 'ltr',

  page: {
    ...messages,
    paymentTo: 'Paiement à',
    pageTitle: 'Paiement à {merchant}',
    total: 'Total',
    about: 'environ',
    order: 'Commande',
    language: 'Langue',
    stopReloading: 'Ne plus recharger cette page',
    reload: 'Recharger cette page',

    testMark: 'TEST',
    testText: 'Ceci est un paiement de test. N’envoyez pas d’argent : il serait perdu.',
    cannotBePaid: 'Ce paiement ne peut pas être réglé pour le moment. Veuillez ne pas envoyer d’argent.',

    chooseFirst: 'Choisissez comment payer',
    payWith: 'Payer avec',
    method: '{coin} sur {network}',
    change: 'Changer',
    coin: 'Monnaie',
    network: 'Réseau',
    networkHint: '{time}, {fee}',
    feeLow: 'frais sous un centime',
    feeMedium: 'frais moyens',
    feeHigh: 'frais plus élevés',
    sendExactly: 'Envoyez exactement',
    sendTheRest: 'Reste à envoyer',
    address: 'Adresse {network}',
    networkWarning: 'N’envoyez que {coin} sur {network}. L’argent envoyé sur un autre réseau est perdu.',
    walletFee: 'Votre portefeuille ajoute ses frais.',
    payingFrom: 'D’où vous payez',
    fromWallet: 'D’un portefeuille',
    fromExchange: 'D’une plateforme',
    exchangeFee:
      '{amount} doivent arriver exactement. Les plateformes prélèvent leurs frais sur ce que vous envoyez\u00a0: choisissez un montant dont il reste autant.',
    exchangeNetwork: 'Choisissez-y le réseau {network}. Aucun mémo ni tag n’est nécessaire.',
    exchangeDelay: 'Une plateforme met souvent 5 à 30 minutes à envoyer.',
    copyAmount: 'Copier le montant',
    copyAddress: 'Copier l’adresse',
    copied: 'Copié',
    openWallet: 'Ouvrir dans le portefeuille',
    showCode: 'Afficher le code',
    codeHolds: 'Contenu du code',
    codeAddress: 'Adresse seule',
    codeAmount: 'Adresse et montant',
    qrAddress: 'Code QR de l’adresse {network}, sans le montant',
    qrLabel: 'Code QR pour votre portefeuille\u00a0: {amount} {coin} sur {network}',
    priceHolds: 'Ce prix vaut encore {left}, jusqu’à {time}.',
    priceOver: 'Ce prix a expiré. Un instant\u00a0: le nouveau arrive.',
    repriced: 'Nouveau prix\u00a0: {amount} au lieu de {before}.',
    repricedSent:
      'Déjà envoyé {before}\u00a0? N’envoyez pas une seconde fois\u00a0: à temps, cela compte en entier\u00a0; plus tard, au cours du moment, et cette page dit s’il manque quelque chose.',
    payBy: 'Veuillez payer avant\u00a0: {time}.',
    payWithin: 'Payez dans les {left}, avant {time}.',
    mayClose: 'Vous pouvez fermer cette page\u00a0: votre paiement suit son cours.',

    cancel: 'Annuler et revenir à {merchant}',
    back: 'Revenir à {merchant}',
    newPayment: 'Payer à nouveau chez {merchant}',
    contact: 'Contacter {merchant}',
    goingBack: 'Vous allez revenir à {merchant} dans 20 secondes.',
    stay: 'Rester sur cette page',

    progress: 'Progression',
    stepSeen: 'Reçu',
    stepConfirmed: 'Confirmé',
    stepSettled: 'Terminé',
    barLabel: 'Confirmations',
    barText: '{count} sur {required}, encore environ {left}',
    proof: 'Votre paiement',
    sent: 'Envoyé',
    seenAt: 'Reçu',
    paidAt: 'Payé',
    transaction: 'Transaction',
    receipt: 'Reçu par e-mail',
    receiptTo: 'envoyé à {mail}',

    waitingTitle: 'En attente de votre paiement',
    waitingText:
      'Déjà envoyé\u00a0? Le réseau peut mettre une minute à l’afficher. Cette page le remarque d’elle-même.',
    underpaidTitle: 'Une partie de votre paiement est arrivée',
    underpaidText: 'Nous avons reçu {received} sur {total}.',
    seenTitle: 'Nous avons vu votre paiement',
    seenText: '{network} va le confirmer. Vous n’avez plus rien à faire.',
    confirmingTitle: 'Confirmation\u00a0: {count} sur {required}',
    confirmingText: '{network} confirme votre paiement. Vous n’avez plus rien à faire.',
    convertingTitle: 'Confirmé, conversion en cours',
    convertingText:
      'Votre paiement est confirmé et en cours de conversion pour {merchant}. Cela prend un instant.',
    settledTitle: 'Payé. Merci\u00a0!',
    settledText: '{merchant} a reçu votre paiement de {total}.',
    cancelledTitle: 'Ce paiement a été annulé',
    cancelledText:
      '{merchant} a annulé ce paiement. N’envoyez plus rien\u00a0; ce que vous avez envoyé peut vous être remboursé.',
    expiredTitle: 'Ce paiement a expiré',
    expiredText:
      'Aucun argent n’est arrivé à temps. N’envoyez plus rien à cette adresse\u00a0; revenez à {merchant} pour payer à nouveau.',
    expiredPartlyText:
      'Seulement {received} sur {total} sont arrivés à temps. N’envoyez plus rien\u00a0; {merchant} peut vous rendre ce que vous avez payé.',
    returningTitle: 'Votre argent est arrivé trop tard',
    returningText: 'Il est arrivé après le délai et vous sera renvoyé.',
    failedTitle: 'Ce paiement a échoué',
    failedText: 'Il n’a pas pu aboutir. Veuillez contacter {merchant} avant de payer à nouveau.',
    replacedTitle: 'Votre transfert a été remplacé',
    replacedText:
      'Votre portefeuille a remplacé ou annulé le transfert que nous avions vu\u00a0; il n’est jamais arrivé. Veuillez contacter {merchant} ou commander à nouveau.',
    refundedTitle: 'Votre argent a été renvoyé',
    refundedText: '{merchant} a renvoyé {refunded}.',

    overpaidNote:
      'C’est payé. Vous avez envoyé plus que demandé\u00a0: {received}. Veuillez contacter {merchant} au sujet de la différence.',
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
  },

  wallet,

  receipt: {
    ...mails,
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

    tooLittleSubject: 'Votre paiement à {merchant} n’était pas complet\u00a0: commande {order}',
    tooLateSubject: 'Votre paiement à {merchant} est arrivé trop tard\u00a0: commande {order}',
    tooLittleTitle: 'Votre paiement n’était pas complet',
    tooLateTitle: 'Votre argent est arrivé trop tard',
    tooLittleText:
      'Seulement {amount} sur {total} sont arrivés à temps\u00a0: votre commande chez {merchant} n’est pas payée. N’envoyez plus rien à cette adresse.',
    tooLateText:
      '{amount} sont arrivés alors que ce paiement était déjà terminé\u00a0: votre commande chez {merchant} n’est pas payée. N’envoyez plus rien à cette adresse.',
    givenSubject: 'Votre adresse de remboursement chez {merchant}\u00a0: commande {order}',
    givenTitle: 'Une adresse de remboursement a été enregistrée',
    givenText:
      'L’argent que {merchant} vous renvoie va à l’adresse ci-dessous, saisie sur la page de votre paiement. Ce n’était pas vous\u00a0? Contactez {merchant} sans attendre.',
    addressText:
      'Pour récupérer votre argent, ouvrez ce paiement et indiquez une adresse de votre propre portefeuille. D’ici là, il ne peut pas vous être renvoyé.',

    order: 'Commande',
    description: 'Description',
    total: 'Total',
    paid: 'Payé',
    received: 'Reçu',
    goesBackAs: 'Renvoyé en',
    goesBackTo: 'Renvoyé à',
    sentBack: 'Renvoyé',
    sentBackSoFar: 'Renvoyé jusqu’ici',
    sentAs: 'Envoyé en',
    network: 'Réseau',
    time: 'Date et heure',
    sentTo: 'Envoyé à',
    transaction: 'Transaction',
    payment: 'N° de paiement',

    toPage: 'Voir ce paiement',
    toAddress: 'Indiquer une adresse',
    contact: 'Des questions sur votre commande\u00a0? Veuillez contacter {merchant}.',
    automatic: 'Ce message a été envoyé automatiquement\u00a0; les réponses ne sont pas lues.',
    answers: 'Ce message a été envoyé automatiquement\u00a0; les réponses parviennent à {merchant}.',
  },
} satisfies LanguageTexts;
