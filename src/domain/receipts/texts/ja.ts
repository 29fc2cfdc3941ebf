import type { ReceiptTexts } from './en.ts';

export const ja: ReceiptTexts = {
  paidSubject: '{merchant} からの領収メール：注文 {order}',
  refundedSubject: '{merchant} からの返金：注文 {order}',
  partSubject: '{merchant} からの一部返金：注文 {order}',
  testMark: 'テスト',
  testText: 'これはテストです。実際のお金は動いていません。',

  paidTitle: 'お支払いが完了しました。ありがとうございます。',
  paidText: '{merchant} が {amount} のお支払いを受け取りました。',
  refundedTitle: '返金しました',
  partTitle: '一部を返金しました',
  refundedText: '{merchant} が {amount} を返金しました。',

  order: '注文',
  description: '内容',
  total: '合計',
  paid: 'お支払い額',
  sentBack: '返金額',
  sentBackSoFar: '返金額の合計',
  network: 'ネットワーク',
  time: '日時',
  sentTo: '送金先',
  transaction: 'トランザクション',
  payment: 'お支払い ID',

  toPage: 'このお支払いを見る',
  contact: 'ご注文についてのご質問は {merchant} にお問い合わせください。',
  automatic: 'このメールは自動送信されています。ご返信いただいてもお読みできません。',
};
