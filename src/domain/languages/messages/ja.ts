export const messages = {
  copyFailed: 'コピーできません。選択しましたので、メニューからコピーしてください。',
  otherWallet: 'ほかのウォレット',
  copyCode: 'コードをコピー',
  nothingOpens: 'ウォレットが応答しません。コードを読み取るか、金額とアドレスをコピーしてください。',
  sentTitle: '送金済み。ネットワークを待っています',
  sentText:
    'ウォレットからお支払いが送金されました。{network} に表示されしだい、このページに表示します。もう一度送金しないでください。金額、アドレス、コードは隠してあります。',
  unsent: '送金していない場合は表示',
  underpaidMore: '{time} までに同じアドレスへあと {missing} を送金すると、お支払いが完了します。',
  underpaidBack:
    'または何も送金せず、このお支払いの終了後にページでアドレスを入力してください。{merchant} が {back} を返金できます。',
  offline: 'オフラインです。接続が戻りしだい、このページは再開します。送金済みのお支払いは失われません。',
  findTitle: '送金済みですか？トランザクション ID を貼り付け',
  findLabel: 'トランザクション ID またはそのリンク',
  findButton: '調べる',
  findBad:
    '{network} のトランザクション ID ではありません。ウォレットや取引所からコピーしてください（ハッシュ、TxID とも表示されます）。',
  findUnknown:
    '{network} にこのトランザクションはありません。送金した直後なら 1 分後にもう一度お試しください。そうでなければ {network} で送金したかご確認ください。',
  findElsewhere:
    '{network} にありますが、別のアドレスへの送金です。ウォレットのアドレスとこのページのアドレスを比べてください。',
  findDropped: 'このトランザクションはウォレットで置き換えまたは取り消されたため、届きませんでした。',
  findSeen: '{network} にあり、このアドレスへの送金です。まもなくこのページに表示されます。',
  findCounted: 'このトランザクションは受け取り済みで、このお支払いに数えられています。',
  findUnable:
    '現在 {network} に問い合わせできません。失われることはありません。確認できしだい、このページに表示します。',
  findUnseen:
    '{network} を現在まで確認しましたが、この取引によるこのアドレスへの支払いはまだありません。送金したばかりの場合は、自動的にここに表示されます。そうでない場合は、ウォレットのアドレスとこのページのアドレスをお比べください。',
  phoneTitle: 'スマートフォンで続ける',
  phoneText: 'カメラで読み取ると、このページが開きます。',
  refundTitle: '返金先を入力してください',
  refundText:
    '返金は{network}の{coin}で送られます。ご自身のウォレットからアドレスをコピーしてください。誤ったアドレスに送られたお金は失われます。',
  refundAddress: '{coin}を受け取る{network}アドレス',
  refundNext: '続ける',
  refundCheck: 'これでよろしいですか？',
  refundAmount: '返金額',
  refundForGood:
    'ウォレットのアドレスと一文字ずつ照らし合わせてください。保存するとここでは変更できず、誤ったアドレスに送られたお金は失われます。',
  refundKeep: 'このアドレスを保存する',
  refundChange: '変更する',
  refundRefused: '{network}のご自身のアドレスではありません。ウォレットからコピーしてください。',
  refundKnown: '返金はこの{network}アドレスに送られます：',
  refundWrong: '誤りがある場合は{merchant}にお問い合わせください。',
  refundClosedTitle: '今はアドレスを指定できません',
  refundClosedText: 'すでに指定されているか、返金がありません。何も変更されていません。',
  simulatorTitle: 'シミュレーター：実際のお金は動きません',
  simulatorText: 'これはテスト用のお支払いです。お客様の役を演じて、動作を確認できます。',
  simulatorPay: '全額を支払う',
  simulatorHalf: '半額を支払う',
  simulatorDouble: '2 倍を支払う',
  simulatorReplace: '送金を置き換える',
  simulatorExpire: '期限切れにする',
  simulatorSent: '模擬送金を行いました。',
  simulatorReplaced: '送金を置き換えました。',
  simulatorExpired: '時計を期限まで進めました。',
  simulatorFailed: 'うまくいきませんでした。もう一度お試しください。',
  simulatorBadTitle: 'シミュレートできません',
  simulatorBadText: 'シミュレーターにない操作です。何も変更されていません。',
  simulatorOverTitle: 'もう実行できません',
  simulatorOverText: 'お支払いの状態が変わりました。何も変更されていません。',
  simulatorBusyTitle: '時計は使用中です',
  simulatorBusyText: 'このお支払いの時計を別の操作が進めています。少し待ってからもう一度お試しください。',
  missingTitle: 'ページが見つかりません',
  missingText: 'このお支払いは存在しません。お店から受け取ったリンクをご確認ください。',
  errorTitle: '少しお待ちください',
  errorText: '現在お支払いを表示できません。このページは自動で再試行します。',
  maintenanceTitle: 'まもなく再開します',
  maintenanceText:
    'お支払いページはメンテナンス中です。今は送金せず、お支払いが表示されるまでお待ちください。このページは自動で再試行します。',
  limitedTitle: 'アクセスが多すぎます',
  limitedText: '1 分ほどお待ちください。このページは自動で再試行します。',
  badMethodTitle: '選択できません',
  badMethodText: 'この通貨はこのネットワークでは利用できません。何も変更されていません。',
  badFormTitle: '読み取れませんでした',
  badFormText: 'このページのフォームではありません。何も変更されていません。',
  closedTitle: '通貨はもう変更できません',
  closedText: 'すでに入金があるか、お支払いが終了しています。何も変更されていません。',
  toPayment: 'お支払いに戻る',
};

export const wallet = {
  pay: 'このブラウザのウォレットで支払う',
  payWith: '{wallet} で支払う',
  asking: 'ウォレットで承認してください',
  sent: '送金しました。ネットワークに表示されしだい、このページに表示します。',
  rejected: 'ウォレットで取り消されました。送金されていません。',
  pending: 'ウォレットに未回答の確認があります。ウォレットで回答してから、もう一度お試しください。',
  funds: 'ウォレットの残高が、この金額とネットワーク手数料に足りません。送金されていません。',
  chain:
    '{network} に切り替わりません。送金されていません。ネットワークを追加するか、コードを読み取ってください。',
  failed: '確認が得られませんでした。再送金の前にウォレットをご確認ください。',
  unsure:
    '送金の有無が不明です。まずウォレットをご確認ください。送金されていない場合に限り、再読み込みしてお支払いください。',
};

export const mails = {
  incompleteSubject: '{merchant} へのお支払いが不足しています：注文 {order}',
  incompleteTitle: 'お支払いが不足しています',
  incompleteText: '{merchant} のご注文について、{total} のうち {amount} を受け取りました。',
};
