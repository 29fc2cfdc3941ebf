import type { Texts } from './en.ts';

export const ja: Texts = {
  paymentTo: 'お支払い先',
  pageTitle: '{merchant} へのお支払い',
  total: '合計',
  order: '注文',
  language: '言語',

  payWith: 'お支払い方法',
  coin: '通貨',
  network: 'ネットワーク',
  sendExactly: '送金額（正確に）',
  sendTheRest: '残りの送金額',
  coinOnNetwork: '{coin}（{network} ネットワーク）',
  address: '{network} のアドレス',
  networkWarning:
    '{network} 上の {coin} だけを送金してください。ほかのネットワークで送られたお金は失われます。',
  copyAmount: '金額をコピー',
  copyAddress: 'アドレスをコピー',
  copied: 'コピーしました',
  openWallet: 'ウォレットで開く',
  qrLabel: 'ウォレット用 QR コード：{network} で {amount} {coin}',
  priceHolds: '価格の有効期限：{time}。その後は再計算されます。',
  payBy: 'お支払い期限：{time}',
  timeLeft: '残り {left}',
  mayClose: 'このページを閉じても、お支払いの処理は続きます。',

  cancel: 'キャンセルして {merchant} に戻る',
  back: '{merchant} に戻る',
  goingBack: '数秒後に {merchant} に戻ります。',
  stay: 'このページにとどまる',

  progress: '進行状況',
  stepSeen: '検出',
  stepConfirmed: '承認',
  stepConverted: '両替',
  stepSettled: '完了',

  waitingTitle: 'お支払いをお待ちしています',
  waitingText:
    '送金済みですか？ネットワークに表示されるまで 1 分ほどかかることがあります。このページは自動で更新されます。',
  underpaidTitle: 'お支払いの一部が届きました',
  underpaidText:
    '{total} のうち {received} を受け取りました。残りの {missing} を同じアドレスに送金してください。',
  seenTitle: 'お支払いを検出しました',
  seenText: 'まもなく {network} が承認します。ほかに必要な操作はありません。',
  confirmingTitle: '承認中：{required} 回中 {count} 回',
  confirmingText: '{network} がお支払いを承認しています。ほかに必要な操作はありません。',
  convertingTitle: '承認済み、両替中です',
  convertingText: 'お支払いは承認され、{merchant} のために両替しています。少しお待ちください。',
  settledTitle: 'お支払いが完了しました。ありがとうございます。',
  settledText: '{merchant} が {total} のお支払いを受け取りました。',
  expiredTitle: 'このお支払いは期限切れです',
  expiredText:
    '期限までに入金がありませんでした。このアドレスにはもう送金しないでください。もう一度支払うには {merchant} に戻ってください。',
  expiredPartlyText:
    '期限までに届いたのは {total} のうち {received} だけです。これ以上送金しないでください。{merchant} が返金できます。',
  returningTitle: '入金が期限に間に合いませんでした',
  returningText: '期限後に届いたため、返金の手続きをしています。',
  failedTitle: 'お支払いに失敗しました',
  failedText: '完了できませんでした。もう一度支払う前に {merchant} にお問い合わせください。',
  replacedTitle: '送金が置き換えられました',
  replacedText:
    '検出した送金がウォレットで置き換えまたは取り消されたため、届きませんでした。{merchant} にお問い合わせいただくか、もう一度ご注文ください。',
  refundedTitle: '返金しました',
  refundedText: '{merchant} が {refunded} を返金しました。',

  overpaidNote:
    '請求額より多く送金されました：{received}。差額については {merchant} にお問い合わせください。',
  overpaidRefundNote: '請求額より多く送金されました：{received}。差額は返金されます。',
  lateNote: '期限後の入金ですが、お支払いとして扱われます。',
  lateHonouredNote: '送金済みですか？期限後 24 時間以内に届いた入金は有効で、このページに表示されます。',
  lateReturnedNote: '送金済みですか？期限後に届いた入金は返金されます。',
  reorgedNote: 'ネットワークの最新ブロックが書き換えられたため、承認を数え直しています。',
  refundedPartNote: 'そのうち {refunded} が返金されました。',

  missingTitle: 'ページが見つかりません',
  missingText: 'このお支払いは存在しません。お店から受け取ったリンクをご確認ください。',
  errorTitle: '少しお待ちください',
  errorText: '現在お支払いを表示できません。このページは自動で再試行します。',
  limitedTitle: 'アクセスが多すぎます',
  limitedText: '1 分ほどお待ちください。このページは自動で再試行します。',
  badChoiceTitle: '選択できません',
  badChoiceText: 'この通貨はこのネットワークでは利用できません。何も変更されていません。',
  closedTitle: '通貨はもう変更できません',
  closedText: 'すでに入金があるか、お支払いが終了しています。何も変更されていません。',
  toPayment: 'お支払いに戻る',
};
