export const messages = {
  copyFailed: 'Ce navigateur ne copie pas. C’est sélectionné\u00a0: copiez-le depuis le menu.',
  otherWallet: 'Autre portefeuille',
  copyCode: 'Copier le code',
  nothingOpens:
    'Rien ne s’ouvre\u00a0? Aucun portefeuille ne répond sur cet appareil. Scannez le code, ou copiez le montant et l’adresse.',
  sentTitle: 'Envoyé. En attente du réseau',
  sentText:
    'Votre portefeuille a envoyé votre paiement. Cette page l’affiche dès que {network} le montre. Ne l’envoyez pas une seconde fois : le montant, l’adresse et le code sont masqués.',
  unsent: 'Pas envoyé ? Les afficher',
  underpaidMore:
    'Envoyez encore {missing} à la même adresse avant {time} : votre paiement sera alors complet.',
  underpaidBack:
    'Ou n’envoyez plus rien : quand ce paiement sera terminé, {merchant} pourra renvoyer {back}.',
  offline:
    'Vous êtes hors ligne. Cette page reprend dès que vous êtes connecté\u00a0; un paiement envoyé n’est pas perdu.',
  findTitle: 'Déjà envoyé\u00a0? Collez l’identifiant de la transaction',
  findLabel: 'Identifiant de la transaction, ou un lien',
  findButton: 'Rechercher',
  findBad:
    'Ce n’est pas un identifiant de transaction {network}. Copiez-le depuis votre portefeuille ou plateforme, où il s’appelle aussi hash ou TxID.',
  findUnknown:
    '{network} ne connaît pas cette transaction. Si vous venez de l’envoyer, réessayez dans une minute\u00a0; sinon vérifiez qu’elle est partie sur {network}.',
  findElsewhere:
    '{network} connaît cette transaction, mais elle paie une autre adresse. Comparez l’adresse dans votre portefeuille avec celle de cette page.',
  findDropped: 'Le portefeuille a remplacé ou annulé cette transaction\u00a0: l’argent n’est jamais arrivé.',
  findSeen: '{network} a cette transaction, et elle paie cette adresse. La page l’affiche dans un instant.',
  findCounted: 'Nous avons cette transaction\u00a0: elle compte pour ce paiement.',
  findUnable:
    'Nous ne pouvons pas interroger {network} pour le moment. Rien n’est perdu\u00a0: la page affiche le paiement dès que nous le voyons.',
  findUnseen:
    'Nous avons lu {network} jusqu’à maintenant, et cette transaction n’a pas payé cette adresse. Si vous venez de l’envoyer, elle s’affichera ici d’elle-même\u00a0; sinon, comparez l’adresse dans votre portefeuille avec celle de cette page.',
  phoneTitle: 'Continuer sur votre téléphone',
  phoneText: 'Scannez ceci avec l’appareil photo\u00a0: cette page s’y ouvre.',
  refundTitle: 'Où faut-il renvoyer l’argent\u00a0?',
  refundText:
    'L’argent qui vous revient est envoyé en {coin} sur {network}. Copiez l’adresse depuis votre propre portefeuille\u00a0: ce qui est envoyé à une mauvaise adresse est perdu.',
  refundAddress: 'Votre adresse {network} pour {coin}',
  refundNext: 'Continuer',
  refundCheck: 'Est-ce correct\u00a0?',
  refundAmount: 'Vous revient',
  refundForGood:
    'Comparez-la avec votre portefeuille, caractère par caractère. Une fois enregistrée, elle ne peut plus être changée ici, et ce qui est envoyé à une mauvaise adresse est perdu.',
  refundKeep: 'Oui, enregistrer cette adresse',
  refundChange: 'La modifier',
  refundRefused: 'Ce n’est pas une adresse à vous sur {network}. Copiez-en une depuis votre portefeuille.',
  refundKnown: 'L’argent qui vous revient est envoyé à cette adresse {network}\u00a0:',
  refundWrong: 'Elle est fausse\u00a0? Contactez {merchant}.',
  refundClosedTitle: 'Aucune adresse ne peut être donnée maintenant',
  refundClosedText: 'Une adresse a déjà été donnée, ou aucun argent ne revient. Rien n’a été modifié.',
  linkAmount: 'Montant en {currency}',
  linkBounds: 'De {min} à {max}',
  linkOptional: '{label} (facultatif)',
  linkPay: 'Payer {amount}',
  linkLeft: 'Encore disponibles : {count}',
  linkBad:
    'Veuillez vérifier votre saisie : une réponse manque ou est trop longue, ou le montant dépasse les limites.',
  linkLater:
    'Le paiement n’est pas possible pour le moment et rien n’a été acheté. Réessayez dans un instant.',
  linkSoldTitle: 'Épuisé',
  linkSoldText:
    'Le dernier article est pris. Si ce paiement n’aboutit pas, il sera de nouveau disponible : réessayez plus tard.',
  linkOverTitle: 'Plus aucun paiement n’est accepté ici',
  linkOverText: 'Ce lien a expiré ou a été fermé. Veuillez en demander un nouveau à la boutique.',
  linkPausedTitle: 'Aucun paiement n’est accepté ici pour le moment',
  linkPausedText: 'La boutique a suspendu ce lien. Veuillez réessayer plus tard.',
  linkThanks: 'Merci !',
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
  simulatorBusyText: 'Quelqu’un d’autre avance l’horloge de ce paiement. Veuillez réessayer dans un instant.',
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
  tooLongTitle: 'C’était trop long',
  tooLongText:
    'Ce formulaire est plus long que ce que la page accepte. Rien n’a été modifié. Revenez en arrière et raccourcissez-le.',
  closedTitle: 'La monnaie ne peut plus être changée',
  closedText: 'L’argent est déjà en route ou le paiement est terminé. Rien n’a été changé.',
  refundAskedTitle: 'Votre remboursement attend une adresse',
  refundAskedText: '{amount} vous revient sur {network}. Indiquez une adresse de votre propre portefeuille.',
  refundAwaitedTitle: 'Votre remboursement est en préparation',
  refundAwaitedText: '{merchant} envoie {amount} sur {network} à l’adresse ci-dessous.',
  refundSentTitle: 'Votre remboursement est en route',
  refundSentText:
    '{amount} est envoyé sur {network} par la transaction ci-dessous. Elle compte dès que le réseau l’a confirmée.',
  refundHeldTitle: 'Votre remboursement est en cours de vérification',
  refundHeldText: '{merchant} vérifie un transfert de {amount} sur {network}. Vous n’avez rien à faire.',
  refundedAmount: 'Renvoyé',
  refundedAt: 'Renvoyé le',
  refundedTo: 'À l’adresse',
  overTitle: 'Le délai de paiement est écoulé',
  overText:
    'N’envoyez rien maintenant. Ce qui a été envoyé à temps compte encore\u00a0: cette page l’affiche dès que le réseau le montre.',
  again: 'Pour payer à nouveau, repassez commande chez {merchant}.',
  done: 'Vous pouvez fermer cette page.',
  sentLostNote:
    'La transaction de votre portefeuille a été remplacée, annulée ou refusée et n’a rien payé ici. Veuillez payer à nouveau.',
  mailLabel: 'Envoyer un reçu à',
  mailHint: 'Une seule fois. {merchant} la voit aussi.',
  mailButton: 'Envoyer',
  mailBad: 'Ce n’est pas une adresse e-mail. Veuillez la vérifier.',
  mailDone: 'Votre reçu y est envoyé.',
  mailClosedTitle: 'Aucune adresse e-mail ne peut être donnée maintenant',
  mailClosedText: 'Une adresse a déjà été donnée, ou il n’y a pas de reçu à envoyer. Rien n’a été changé.',
  print: 'Imprimer ou enregistrer',
  nowhereText: 'Il n’y a rien à cette adresse. Veuillez vérifier le lien.',
  toPayment: 'Revenir au paiement',
};

export const wallet = {
  pay: 'Payer avec le portefeuille de ce navigateur',
  payWith: 'Payer avec {wallet}',
  asking: 'Confirmez dans le portefeuille',
  sent: 'Envoyé. Cette page l’affiche dès que le réseau le montre.',
  rejected: 'Annulé dans le portefeuille. Rien n’a été envoyé.',
  pending: 'Le portefeuille a déjà une demande ouverte. Répondez-y, puis réessayez ici.',
  funds: 'Le portefeuille contient trop peu pour ce montant et les frais du réseau. Rien n’a été envoyé.',
  chain:
    'Le portefeuille ne passe pas à {network}. Rien n’a été envoyé\u00a0: ajoutez-y le réseau, ou scannez le code.',
  failed: 'Le portefeuille n’a pas confirmé. Vérifiez-y avant d’envoyer à nouveau.',
  unsure:
    'Le portefeuille n’a pas dit s’il l’a envoyé. Vérifiez-y d’abord\u00a0: seulement si rien n’a été envoyé, rechargez cette page pour payer.',
};

export const mails = {
  incompleteSubject: 'Il manque une partie de votre paiement à {merchant} : commande {order}',
  incompleteTitle: 'Il manque une partie de votre paiement',
  incompleteText: 'Nous avons {amount} sur {total} pour votre commande chez {merchant}.',
  givenContact: 'Ce n’était pas vous\u00a0? Contactez {merchant} sans attendre.',
};
