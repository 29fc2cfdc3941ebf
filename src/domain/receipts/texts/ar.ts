import type { ReceiptTexts } from './en.ts';

export const ar: ReceiptTexts = {
  paidSubject: 'إيصال من {merchant}: الطلب {order}',
  refundedSubject: 'إعادة مبلغ من {merchant}: الطلب {order}',
  partSubject: 'إعادة جزء من المبلغ من {merchant}: الطلب {order}',
  testMark: 'تجربة',
  testText: 'هذه تجربة. لم تُحوَّل أي أموال حقيقية.',

  paidTitle: 'تم الدفع. شكرًا لك!',
  paidText: 'استلم {merchant} دفعتك بمبلغ {amount}.',
  refundedTitle: 'أُعيدت أموالك',
  partTitle: 'أُعيد جزء من أموالك',
  refundedText: 'أعاد {merchant} مبلغ {amount}.',

  order: 'الطلب',
  description: 'الوصف',
  total: 'الإجمالي',
  paid: 'المبلغ المدفوع',
  sentBack: 'المبلغ المُعاد',
  sentBackSoFar: 'مجموع ما أُعيد حتى الآن',
  network: 'الشبكة',
  time: 'الوقت',
  sentTo: 'أُرسل إلى',
  transaction: 'المعاملة',
  payment: 'رقم الدفعة',

  toPage: 'عرض هذه الدفعة',
  contact: 'هل لديك أسئلة حول طلبك؟ يرجى التواصل مع {merchant}.',
  automatic: 'أُرسلت هذه الرسالة تلقائيًا، ولا تُقرأ الردود عليها.',
};
